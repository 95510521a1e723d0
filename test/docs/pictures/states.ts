import type { Chart } from "./chart.ts";

/** Window, lease, draft and attempts: `core/state.ts`, `core/take.ts`, `core/release.ts`. */
export const CONVERSATION: Chart = {
  title: "The states of a conversation",
  size: [1090, 480],
  boxes: {
    rest: { at: [30, 70, 150, 60], says: ["at rest", "nothing stands"] },
    gathering: { at: [400, 70, 160, 60], says: ["gathering", "a window stands"], look: "strong" },
    answering: { at: [740, 70, 170, 60], says: ["answering", "a lease, later a draft"], look: "strong" },
    waiting: { at: [400, 240, 160, 60], says: ["waiting", "a window, attempts"] },
    lapsed: { at: [810, 390, 170, 60], says: ["lapsed", "a lease, out of time"], look: "bad" },
    dead: { at: [400, 390, 160, 60], says: ["dead letter", "newer messages go on"], look: "bad" },
  },
  edges: [
    { from: "rest.right 0.35", to: "gathering.left 0.35", says: "a message: STAGE, ARM" },
    { from: "gathering.right", to: "answering.left", says: ["it is due: LEASE,", "DISARM, BATCH"] },
    { from: "answering.top", to: "rest.top", turn: 34, says: "COMMIT; nothing is staged" },
    {
      from: "answering.bottom 0.1",
      to: "gathering.bottom 0.75",
      turn: 178,
      says: ["COMMIT; messages", "came meanwhile"],
    },
    {
      from: "answering.bottom 0.42",
      to: "waiting.right 0.25",
      says: ["release: retry, wait,", "restart, put-back"],
      along: 0.71,
    },
    { from: "waiting.right 0.75", to: "answering.bottom 0.6", says: "its time has come", along: 0.3 },
    {
      from: "answering.bottom 0.88",
      to: "lapsed.top 0.468",
      says: ["its worker died,", "or stands still"],
      along: 0.75,
    },
    { from: "lapsed.right", to: "answering.right", turn: 1020, says: ["the next worker,", "a new token"] },
    {
      from: "answering.bottom 0.26",
      to: "dead.right",
      says: ["no try can help,", "or none is left"],
      along: 0.78,
    },
    { from: "waiting.bottom", to: "dead.top", says: "attempts or time ran out" },
    { from: "dead.left", to: "gathering.left 0.8", turn: 300, says: "a person retries it" },
  ],
};

/** One turn over all its tries: `runtime/run-turn.ts`, `runtime/deliver.ts`, `core/take.ts`. */
export const TURN: Chart = {
  title: "The states of a turn",
  size: [1130, 500],
  boxes: {
    taken: { at: [30, 90, 140, 60], says: ["taken", "a lease, an attempt"], look: "strong" },
    asked: { at: [270, 90, 140, 60], says: ["asked", "the responder"], look: "strong" },
    drafted: { at: [510, 90, 140, 60], says: ["drafted", "on disk"], look: "strong" },
    sending: { at: [720, 90, 140, 60], says: ["sending", "chunk by chunk"], look: "strong" },
    committed: { at: [960, 90, 140, 60], says: ["committed", "with an outcome"], look: "durable" },
    awaiting: { at: [510, 250, 140, 60], says: ["awaiting", "a late answer"] },
    released: { at: [270, 340, 140, 60], says: ["released", "a window stands"] },
    dead: { at: [960, 410, 140, 60], says: ["dead letter", "a person decides"], look: "bad" },
  },
  edges: [
    { from: "taken.right", to: "asked.left", says: "rules pass" },
    { from: "asked.right", to: "drafted.left", says: "an answer" },
    { from: "drafted.right", to: "sending.left" },
    { from: "sending.right", to: "committed.left", says: ["replied,", "handed-off,", "unknown"] },
    {
      from: "taken.top 0.35",
      to: "committed.top 0.65",
      turn: 26,
      says: "refused: CODE, or handed-off: a human has the conversation",
    },
    { from: "asked.top", to: "committed.top 0.35", turn: 56, says: "no-reply, queued, handed-off" },
    { from: "taken.bottom 0.85", to: "drafted.bottom 0.25", turn: 176, says: "an outbound", along: 0.16 },
    {
      from: "taken.bottom 0.6",
      to: "sending.bottom 0.2",
      turn: 206,
      says: "an earlier try left a draft",
      along: 0.71,
    },
    { from: "asked.bottom 0.8", to: "awaiting.left 0.3", says: "laterSeconds", along: 0.78 },
    { from: "awaiting.left 0.75", to: "asked.bottom 0.55", says: "none came in time", along: 0.3 },
    { from: "awaiting.right", to: "sending.bottom 0.45", says: "it comes", along: 0.3 },
    {
      from: "asked.bottom 0.12",
      to: "released.top 0.12",
      says: ["retry, restart,", "put-back"],
      along: 0.75,
    },
    {
      from: "sending.bottom 0.75",
      to: "released.right",
      says: "retry, wait: not now, or its outcome is open",
      along: 0.72,
    },
    {
      from: "released.left",
      to: "taken.bottom 0.3",
      says: ["its window is due:", "the next attempt"],
      along: 0.72,
    },
    {
      from: "released.bottom",
      to: "dead.left",
      says: "attempts or time ran out",
      along: 0.6,
    },
    { from: "sending.bottom 0.95", to: "dead.top 0.3", says: "no try can help", along: 0.5 },
  ],
};

/** One piece of a reply: `core/draft.ts`, `runtime/deliver.ts`. */
export const CHUNK: Chart = {
  title: "The states of a chunk of a reply",
  size: [890, 250],
  boxes: {
    pending: { at: [30, 30, 130, 56], says: ["pending", "in the draft"] },
    sending: { at: [370, 30, 130, 56], says: ["sending", "written down first"], look: "strong" },
    sent: { at: [730, 30, 130, 56], says: ["sent", "the provider's id"], look: "durable" },
    dropped: { at: [30, 165, 130, 56], says: ["dropped", "a human took over"] },
    decided: { at: [730, 165, 130, 56], says: ["off the list", "the outcome is told"] },
    unknown: { at: [370, 165, 130, 56], says: ["unknown", "a person looks"], look: "bad" },
  },
  edges: [
    { from: "pending.right 0.35", to: "sending.left 0.35", says: "before its first byte leaves" },
    { from: "sending.left 0.8", to: "pending.right 0.8", says: "certainly not sent" },
    {
      from: "sending.right",
      to: "sent.left",
      says: ["answered, found in the list,", "or told by a callback"],
    },
    { from: "pending.bottom", to: "dropped.top", says: "hand-off" },
    { from: "sending.bottom", to: "unknown.top", says: "it cannot be learnt" },
    { from: "unknown.right", to: "decided.left", says: ["a callback comes late,", "or a person found out"] },
  ],
};
