import { describe, expect, it } from "vitest";
import { REPLY_MEDIA_MAX } from "./defaults.ts";
import { planReply, type Words } from "./reply-plan.ts";

const limits = { replyBytesMax: 100, replyMessagesMax: 3 };
const plan = (words: Words, textMax = 1_600) => planReply(words, textMax, limits);
const photo = (url: string) => ({ url, contentType: "image/png" });

describe("a reply", () => {
  it("goes out as the channel carries it, as long as it is within its limits", () => {
    expect(plan({ texts: ["one two", "three"] }, 4)).toEqual({ kind: "too-large", why: expect.any(String) });
    expect(plan({ texts: ["one two", "three"] }, 5)).toEqual({
      kind: "messages",
      texts: ["one", "two", "three"],
    });
    expect(plan({ texts: [] })).toEqual({ kind: "messages", texts: [] });
  });

  it("is measured in bytes as they are stored, not in characters", () => {
    expect(plan({ texts: ["ü".repeat(50)] }).kind).toBe("messages");
    expect(plan({ texts: ["ü".repeat(50), "x"] })).toEqual({
      kind: "too-large",
      why: "the reply has more than 100 bytes (replyBytesMax)",
    });
  });

  it("counts the addresses, types and names of its media as well", () => {
    const media = [photo("x".repeat(91))];
    expect(plan({ texts: [], media }).kind).toBe("messages");
    expect(plan({ texts: ["x"], media }).kind).toBe("too-large");
    expect(plan({ texts: [], media: [{ ...media[0]!, name: "x" }] }).kind).toBe("too-large");
  });

  it("has as many media as a message carries", () => {
    const media = Array(REPLY_MEDIA_MAX).fill({ url: "x", contentType: "" });
    expect(plan({ texts: [], media }).kind).toBe("messages");
    expect(plan({ texts: [], media: [...media, ...media] })).toEqual({
      kind: "too-large",
      why: "the reply has more than 10 media",
    });
  });

  it("of too many messages is found before and after it is split", () => {
    const why = "the reply has more than 3 messages (replyMessagesMax)";
    expect(plan({ texts: ["a", "b", "c", "d"] })).toEqual({ kind: "too-large", why });
    expect(plan({ texts: ["a b c d"] }, 1)).toEqual({ kind: "too-large", why });
    expect(plan({ texts: ["a b c"] }, 1).kind).toBe("messages");
  });
});
