import type { Work } from "../core/state.ts";
import type { ChunkState, Draft } from "../model/draft.ts";

/** Work on one message, begun and not yet failed. Say what matters to the test. */
export function work(given: Partial<Work> = {}): Work {
  return {
    turnId: "turn",
    recordId: "c",
    messageIds: ["m1"],
    batchIds: ["m1"],
    attempts: 1,
    restarts: 0,
    openedAtMs: 0,
    dueAtMs: 10_000,
    takenAtMs: 10_000,
    ...given,
  };
}

/** The draft of that work's turn, with a chunk in each of these states. */
export function draftOf(states: readonly ChunkState[], given: Partial<Draft> = {}): Draft {
  return {
    turnId: "turn",
    messageIds: ["m1"],
    channel: "test",
    to: "ana",
    from: "lull",
    chunks: states.map((state, at) => ({ text: `text ${at}`, state })),
    answerStartedAtMs: 0,
    draftedAtMs: 0,
    ...given,
  };
}
