import { describe, expect, it } from "vitest";
import type { Draft } from "../model/draft.ts";
import type { StagedMessage } from "../model/message.ts";
import type { Work } from "./state.ts";
import { changeByTurn, type FinishedTurn, spokenIn, turnRecord, unknownSendsOf } from "./turn.ts";

const work: Work = {
  turnId: "t",
  recordId: "c",
  messageIds: ["m1"],
  batchIds: ["m1"],
  attempts: 2,
  restarts: 1,
  openedAtMs: 10,
  dueAtMs: 20,
  takenAtMs: 30,
};
const message: StagedMessage = {
  id: "m1",
  sequence: 1,
  providerId: "1",
  account: "a",
  address: "us",
  sender: "ana",
  replyTo: "ana",
  channel: "sms",
  text: "hi",
  media: [],
  arrivedAtMs: 10,
  position: 0,
};
const draft: Draft = {
  turnId: "t",
  messageIds: ["m1"],
  channel: "whatsapp",
  to: "ana",
  from: "us",
  chunks: [
    { text: "one", state: { kind: "sent", providerId: "p1", atMs: 40 } },
    { text: "two", state: { kind: "unknown" } },
    { text: "three", state: { kind: "dropped" } },
  ],
  answerStartedAtMs: 31,
  draftedAtMs: 35,
};

function finished(given: Partial<FinishedTurn> = {}): FinishedTurn {
  return {
    work,
    commit: { outcome: "unknown", userText: "hi", more: false },
    draft,
    messages: [message],
    nowMs: 50,
    ...given,
  };
}

describe("a finished turn", () => {
  it("has two sides: what was asked, with its parts, and what was said as far as is known", () => {
    expect(spokenIn(finished())).toEqual([
      {
        role: "user",
        text: "hi",
        media: [],
        atMs: 10,
        turnId: "t",
        parts: [{ id: "m1", text: "hi", media: [], arrivedAtMs: 10 }],
      },
      { role: "assistant", text: "one\ntwo", media: [], atMs: 50, turnId: "t" },
    ]);
  });

  it("may have one side, said by a person, or none", () => {
    const outbound = finished({
      commit: { outcome: "replied", sentAtMs: 45, more: true },
      draft: { ...draft, author: "eva" },
      messages: [],
    });
    expect(spokenIn(outbound)).toEqual([
      { role: "assistant", text: "one\ntwo", media: [], atMs: 45, turnId: "t", author: "eva" },
    ]);
    expect(spokenIn(finished({ commit: { outcome: "no-reply", more: false }, draft: undefined }))).toEqual(
      [],
    );
  });

  it("includes media as far as their chunks went out", () => {
    const media = [{ url: "https://example.test/menu.png", contentType: "image/png" }];
    const shown = { ...draft, chunks: [{ text: "", media, state: draft.chunks[0]!.state }] };
    expect(spokenIn(finished({ draft: shown }))[1]).toEqual({
      role: "assistant",
      text: "",
      media,
      atMs: 50,
      turnId: "t",
    });
    for (const kind of ["pending", "dropped"] as const) {
      const unsaid = { ...draft, chunks: [{ text: "", media, state: { kind } }] };
      expect(spokenIn(finished({ draft: unsaid })).map(({ role }) => role)).toEqual(["user"]);
    }
    const held = { ...draft, chunks: [{ text: "", media, state: { kind: "unknown" } as const }] };
    expect(unknownSendsOf(finished({ draft: held }))).toMatchObject([{ text: "", media }]);
  });

  it("is recorded with its times, on the channel of its reply or of its newest message", () => {
    const usage = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };
    const times = { answerStartedAtMs: 31, answeredAtMs: 35, sentAtMs: 45 };
    expect(turnRecord(finished({ commit: { outcome: "replied", usage, ...times, more: false } }))).toEqual({
      turnId: "t",
      conversationId: "c",
      outcome: "replied",
      channel: "whatsapp",
      messageIds: ["m1"],
      providerIds: ["p1"],
      attempts: 2,
      restarts: 1,
      usage,
      openedAtMs: 10,
      dueAtMs: 20,
      takenAtMs: 30,
      ...times,
      committedAtMs: 50,
    });
    const silent = { commit: { outcome: "no-reply", more: false }, draft: undefined } as const;
    expect(turnRecord(finished(silent)).channel).toBe("sms");
    expect(turnRecord(finished({ ...silent, messages: [] })).channel).toBe("");
  });

  it("lists the sends whose outcome is unknown", () => {
    expect(unknownSendsOf(finished())).toEqual([
      {
        id: "t.1",
        conversationId: "c",
        turnId: "t",
        chunk: 1,
        channel: "whatsapp",
        to: "ana",
        from: "us",
        text: "two",
        atMs: 50,
      },
    ]);
    expect(unknownSendsOf(finished({ draft: undefined }))).toEqual([]);
  });

  it.each([
    [{ outcome: "replied" }, "reply_sent"],
    [{ outcome: "unknown" }, "reply_sent"],
    [{ outcome: "handed-off" }, "awaiting_agent"],
    [{ outcome: "replied", handOff: "asked for one" }, "awaiting_agent"],
    [{ outcome: "queued" }, "queued_for_ai"],
    [{ outcome: "queued", handOff: "asked for one" }, "awaiting_agent"],
    [{ outcome: "no-reply" }, undefined],
    [{ outcome: "refused: PROJECT_INACTIVE" }, undefined],
  ] as const)("%j leaves its conversation %s", (commit, status) => {
    expect(changeByTurn({ ...commit, more: false }).status).toBe(status);
  });

  it("changes only what its commit says", () => {
    expect(changeByTurn({ outcome: "no-reply", more: false })).toEqual({});
    expect(changeByTurn({ outcome: "replied", complete: false, handOff: "", more: false })).toEqual({
      status: "awaiting_agent",
      taskComplete: false,
      handedOff: true,
      handOffReason: "",
    });
  });
});
