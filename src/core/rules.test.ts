import { describe, expect, it } from "vitest";
import { fakeConversation } from "../testing/fake-turn.ts";
import { decideAnswer, decideReceipt, ruleAgainst } from "./rules.ts";

const open = { admission: "open", whileBusy: "queue" } as const;
const known = { admission: "known", whileBusy: "queue" } as const;
const reject = { admission: "open", whileBusy: "reject" } as const;
const conversation = fakeConversation({ allowedChannels: ["whatsapp"] });

describe("a conversation's own rules", () => {
  it("want an active project", () => {
    expect(ruleAgainst({ projectStatus: "active" }, "sms")).toBeUndefined();
    expect(ruleAgainst({ projectStatus: "archived" }, "sms")).toBe("PROJECT_INACTIVE");
    expect(ruleAgainst({ projectStatus: "" }, "sms")).toBe("PROJECT_INACTIVE");
  });

  it("want an allowed channel type, where any are named", () => {
    expect(ruleAgainst(conversation, "whatsapp")).toBeUndefined();
    expect(ruleAgainst(conversation, "sms")).toBe("CHANNEL_NOT_ALLOWED");
    expect(ruleAgainst({ projectStatus: "active", allowedChannels: [] }, "sms")).toBe("CHANNEL_NOT_ALLOWED");
  });

  it("name the project first", () => {
    expect(ruleAgainst({ projectStatus: "archived", allowedChannels: [] }, "sms")).toBe("PROJECT_INACTIVE");
  });
});

describe("a message", () => {
  it("of an unknown customer makes a conversation, or is refused where only known ones are admitted", () => {
    expect(decideReceipt(undefined, false, "sms", open)).toEqual({ kind: "create" });
    expect(decideReceipt(undefined, false, "sms", known)).toEqual({
      kind: "refuse",
      code: "CONVERSATION_NOT_FOUND",
    });
  });

  it("of a known person is accepted under either admission", () => {
    expect(decideReceipt(conversation, false, "whatsapp", open)).toEqual({ kind: "accept" });
    expect(decideReceipt(conversation, false, "whatsapp", known)).toEqual({ kind: "accept" });
  });

  it("against a rule is refused, busy or not", () => {
    const refused = { kind: "refuse", code: "CHANNEL_NOT_ALLOWED" };
    expect(decideReceipt(conversation, false, "sms", open)).toEqual(refused);
    expect(decideReceipt(conversation, true, "sms", reject)).toEqual(refused);
  });

  it("during a turn is refused only by the policy that says so", () => {
    expect(decideReceipt(conversation, true, "whatsapp", open)).toEqual({ kind: "accept" });
    expect(decideReceipt(conversation, true, "whatsapp", { ...open, whileBusy: "restart" })).toEqual({
      kind: "accept",
    });
    expect(decideReceipt(conversation, true, "whatsapp", reject)).toEqual({
      kind: "refuse",
      code: "CONVERSATION_LOCKED",
    });
    expect(decideReceipt(conversation, false, "whatsapp", reject)).toEqual({ kind: "accept" });
  });
});

describe("a turn", () => {
  it("checks the rules again when it starts", () => {
    expect(decideAnswer(conversation, "whatsapp")).toEqual({ kind: "answer" });
    expect(decideAnswer(conversation, "sms")).toEqual({ kind: "refuse", code: "CHANNEL_NOT_ALLOWED" });
    const archived = { ...conversation, projectStatus: "archived", handedOff: true };
    expect(decideAnswer(archived, "whatsapp")).toEqual({ kind: "refuse", code: "PROJECT_INACTIVE" });
  });

  it("of a conversation that a human has is handed over", () => {
    expect(decideAnswer({ ...conversation, handedOff: true }, "whatsapp")).toEqual({ kind: "hand-off" });
  });
});
