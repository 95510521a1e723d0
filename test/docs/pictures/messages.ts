import type { Sequence } from "./sequence.ts";

const PROVIDER = { name: "provider", about: "Twilio, WATI, the page" };
const RESPONDER = { name: "responder", about: "your code, a model" };

/** One burst of two messages on each engine. The steps are the protocol's. */
export const MESSAGE_SQLITE: Sequence = {
  title: "One burst of messages on SQLite",
  lanes: {
    provider: PROVIDER,
    webhook: { name: "webhook", about: "http, channel, receive", look: "strong" },
    store: { name: "SQLite", about: "one file", look: "durable" },
    worker: { name: "worker", about: "worker, run-turn", look: "strong" },
    responder: RESPONDER,
  },
  steps: [
    { band: "receiving: a webhook is answered only when its message is on disk" },
    "provider -> webhook: POST “hi”",
    "webhook -> webhook: verify, parse",
    "webhook -> store: DEDUPE, STAGE, ARM: one transaction",
    "webhook <- store: on disk; due in 10 s",
    "provider <- webhook: 200",
    "provider -> webhook: POST “a table for two”",
    "webhook -> store: STAGE; a window stands",
    "provider <- webhook: 200",
    { band: "10 s after the first message the window is due: a worker that slept until then wakes up" },
    "worker -> store: LEASE, DISARM, BATCH: one transaction",
    "worker <- store: both messages, and a token",
    "worker -> responder: one turn: “hi”, “a table for two”",
    "worker <- responder: “At what time?”",
    "worker -> store: DRAFT: chunk 0 is sending",
    "worker -> provider: SEND: its first byte leaves when the draft is on disk",
    "worker <- provider: sent, under the provider's id",
    "worker -> store: COMMIT: said, remembered, off the stage",
    { band: "the lease is free; a message that came during the turn has a window of its own" },
  ],
};

export const MESSAGE_AWS: Sequence = {
  title: "One burst of messages on AWS",
  lanes: {
    provider: PROVIDER,
    webhook: { name: "webhook", about: "behind API Gateway", look: "strong" },
    store: { name: "DynamoDB", about: "six tables", look: "durable" },
    queue: { name: "SQS", about: "a queue for each channel", look: "durable" },
    worker: { name: "worker", about: "function, or lull start", look: "strong" },
    responder: RESPONDER,
  },
  steps: [
    { band: "receiving: a webhook is answered only when all of it is durable" },
    "provider -> webhook: POST “hi”",
    "webhook -> store: DEDUPE: GetItem",
    "webhook -> store: STAGE: PutItem",
    "webhook -> store: ARM: PutItem, if no lock stands",
    "webhook -> queue: TRIGGER: SendMessage, DelaySeconds 10; only by the one that armed",
    "provider <- webhook: 200",
    "provider -> webhook: POST “a table for two”",
    "webhook -> store: DEDUPE, STAGE; a lock stands",
    "provider <- webhook: 200",
    { band: "10 s later the queue shows the trigger: “look”, and nothing more" },
    "queue -> worker: trigger",
    "worker -> store: LEASE: UpdateItem, if it is free or lapsed",
    "worker -> store: DISARM: DeleteItem, then BATCH: Query, consistent",
    "worker -> responder: one turn: “hi”, “a table for two”",
    "worker <- responder: “At what time?”",
    "worker -> store: DRAFT: UpdateItem under the token; chunk 0 is sending",
    "worker -> provider: SEND: its first byte leaves when the draft is written",
    "worker <- provider: sent, under the provider's id",
    "worker -> store: COMMIT: one TransactWriteItems under the token",
    "worker -> queue: delete the trigger",
    { band: "every minute a sweeper triggers again whatever a crash left behind" },
  ],
};
