import { describe, expect, it } from "vitest";
import type { ChunkState, Draft } from "../model/draft.ts";
import { draftOf } from "../testing/state-builders.ts";
import { DEFAULTS } from "./defaults.ts";
import {
  dropPending,
  endSending,
  isFromSender,
  keepSent,
  nextDraftAction,
  pendingChunks,
  providerIdsOf,
  replySent,
  saidText,
  withChunk,
} from "./draft.ts";

const pending: ChunkState = { kind: "pending" };
const sending: ChunkState = { kind: "sending", sendByAtMs: 10_000 };
const unknown: ChunkState = { kind: "unknown" };
const dropped: ChunkState = { kind: "dropped" };
const sent = (providerId = "p1"): ChunkState => ({ kind: "sent", providerId, atMs: 5 });

const draft = (...states: ChunkState[]) => draftOf(states);

const kinds = ({ chunks }: Draft) => chunks.map(({ state }) => state.kind);

describe("the next step", () => {
  it("is the first chunk that is not on its way", () => {
    expect(nextDraftAction(draft(pending, pending), DEFAULTS)).toEqual({ kind: "send", chunk: 0 });
    expect(nextDraftAction(draft(sent(), pending, pending), DEFAULTS)).toEqual({ kind: "send", chunk: 1 });
    expect(nextDraftAction(draft(sent(), unknown, dropped, pending), DEFAULTS)).toEqual({
      kind: "send",
      chunk: 3,
    });
  });

  it("is nothing when each is sent, unknown or dropped, or there is none", () => {
    expect(nextDraftAction(draft(sent(), unknown, dropped), DEFAULTS)).toEqual({ kind: "done" });
    expect(nextDraftAction(draft(), DEFAULTS)).toEqual({ kind: "done" });
  });

  it("is to ask about a chunk found sending; not found counts only once it had its time to settle", () => {
    const step = nextDraftAction(draft(sent(), sending, pending), DEFAULTS);
    expect(step).toEqual({ kind: "ask", chunk: 1, settledAtMs: 10_000 + 30_000 });
  });

  it("leaves a send the time that its channel needs to settle", () => {
    const window = DEFAULTS.window;
    const times = { ...DEFAULTS, channels: { test: { type: "test", window, settleMs: 90_000 } } };
    expect(nextDraftAction(draft(sending), times)).toEqual({ kind: "ask", chunk: 0, settledAtMs: 100_000 });
  });
});

describe("a chunk's state", () => {
  it("is changed for that chunk alone", () => {
    const before = draft(pending, pending);
    expect(kinds(withChunk(before, 1, sent()))).toEqual(["pending", "sent"]);
    expect(kinds(before)).toEqual(["pending", "pending"]);
  });

  it("is dropped when a human takes over, unless it is on its way", () => {
    expect(kinds(dropPending(draft(sent(), sending, unknown, pending)))).toEqual([
      "sent",
      "sending",
      "unknown",
      "dropped",
    ]);
  });
});

describe("a send that is over", () => {
  it("begins to settle at its sender's death, or at its deadline if that was before", () => {
    const at = (atMs: number) =>
      endSending(draft(sent(), sending, pending), atMs).chunks.map(({ state }) => state);
    expect(at(4_000)).toEqual([sent(), { kind: "sending", sendByAtMs: 4_000 }, pending]);
    expect(at(99_000)).toEqual([sent(), sending, pending]);
  });
});

describe("how much of a reply went out", () => {
  it.each([
    [[], "none"],
    [[pending, pending], "none"],
    [[dropped], "none"],
    [[sent(), pending], "part"],
    [[sent(), sending], "unknown"],
    [[unknown], "unknown"],
    [[sent(), sent()], "whole"],
    [[sent(), dropped], "whole"],
  ] as const)("%j is %s", (states, told) => {
    expect(replySent(draft(...states))).toBe(told);
  });

  it("is nothing where no draft was written", () => {
    expect(replySent(undefined)).toBe("none");
  });
});

describe("what was said", () => {
  it("counts what may have gone out, and not what was dropped or never sent", () => {
    expect(saidText(draft(sent(), unknown, dropped, pending, sending))).toBe("text 0\ntext 1\ntext 4");
    expect(saidText(draft(dropped))).toBe("");
  });

  it("has the provider ids of what certainly went out", () => {
    expect(providerIdsOf(draft(sent("a"), unknown, pending, sent("b")))).toEqual(["a", "b"]);
  });
});

describe("chunks to be sent", () => {
  const media = [{ url: "https://example.test/a.jpg", contentType: "image/jpeg" }];

  it("are pending, one for each text", () => {
    expect(pendingChunks(["one", "two"])).toEqual([
      { text: "one", state: pending },
      { text: "two", state: pending },
    ]);
    expect(pendingChunks([])).toEqual([]);
  });

  it("carry media with the first, or alone where there is no text", () => {
    expect(pendingChunks(["one", "two"], media)).toEqual([
      { text: "one", media, state: pending },
      { text: "two", state: pending },
    ]);
    expect(pendingChunks([], media)).toEqual([{ text: "", media, state: pending }]);
  });
});

describe("an older copy of a draft", () => {
  it("does not undo what is known to be sent", () => {
    const stored = draft(sent("callback"), sent("callback"), sent("callback"));
    const kept = keepSent(stored, draft(sending, pending, unknown));
    expect(kept.chunks).toEqual(stored.chunks);
  });

  it("may say itself that a chunk was sent or dropped", () => {
    const written = draft(sent("answer"), dropped);
    expect(keepSent(draft(sent("callback"), sent("callback")), written).chunks).toEqual(written.chunks);
  });

  it("wins where the stored one knows no better", () => {
    const written = draft(sending, unknown);
    expect(keepSent(draft(pending, sending), written)).toEqual(written);
  });

  it("is left alone where there is none, another turn's, or a shorter one stored", () => {
    const written = draft(sending, pending);
    expect(keepSent(undefined, written)).toBe(written);
    expect(keepSent({ ...draft(sent(), sent()), turnId: "another" }, written)).toBe(written);
    expect(kinds(keepSent(draft(sent()), written))).toEqual(["sent", "pending"]);
  });
});

describe("which callback may tell what became of a send", () => {
  const send = { channel: "whatsapp", from: "+15550100" };
  it.each([
    ["its channel", { channel: "whatsapp" }, true],
    ["its channel, for its address", { channel: "whatsapp", address: "15550100" }, true],
    ["its channel, for another address", { channel: "whatsapp", address: "+15550199" }, false],
    ["its channel, for none", { channel: "whatsapp", address: "" }, false],
    ["another channel", { channel: "wati", address: "+15550100" }, false],
  ])("%s: %j", (_, by, may) => {
    expect(isFromSender(send, by)).toBe(may);
  });

  it("any address, where it is unknown which one it went out from", () => {
    expect(isFromSender({ channel: "whatsapp", from: "" }, { channel: "whatsapp", address: "+1" })).toBe(
      true,
    );
    expect(isFromSender({ channel: "whatsapp" }, { channel: "whatsapp", address: "+1" })).toBe(true);
  });
});
