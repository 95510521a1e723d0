import type { Chart } from "./chart.ts";

/** Which part talks to which. */
export const COMPONENTS: Chart = {
  title: "The parts of Lull, and who talks to whom",
  size: [1000, 540],
  boxes: {
    lull: { at: [190, 18, 600, 504], says: ["Lull"], look: "room" },
    provider: { at: [20, 48, 130, 64], says: ["provider", "Twilio, WATI"] },
    visitor: { at: [20, 146, 130, 64], says: ["visitor", "the phone page"] },
    operator: { at: [20, 326, 130, 64], says: ["operator", "a program, you"] },
    webhooks: { at: [220, 102, 130, 96], says: ["edges", "http, lambda:", "/webhooks"], look: "strong" },
    core: { at: [220, 228, 130, 62], says: ["core", "decides: no clock,", "no store"] },
    api: { at: [220, 320, 130, 76], says: ["edges", "http, cli:", "/api, commands"], look: "strong" },
    channel: { at: [430, 48, 140, 56], says: ["channel", "verify, parse, send"], look: "strong" },
    receive: { at: [430, 146, 140, 56], says: ["receive", "and acknowledge"], look: "strong" },
    sweeper: { at: [480, 250, 90, 56], says: ["sweeper", "heals"], look: "strong" },
    worker: { at: [620, 146, 140, 56], says: ["worker", "looks for due turns"], look: "strong" },
    turn: { at: [620, 250, 140, 56], says: ["run-turn", "ask, draft, send"], look: "strong" },
    engine: {
      at: [220, 440, 540, 64],
      says: ["engine", "keeps everything durable: SQLite (one file), AWS (DynamoDB and SQS), memory"],
      look: "durable",
    },
    responder: { at: [838, 246, 144, 64], says: ["responder", "a function, a model"] },
  },
  edges: [
    { from: "channel.left 0.4", to: "provider.right 0.35", says: "replies", along: 0.45 },
    { from: "provider.right 0.8", to: "webhooks.left 0.2" },
    { from: "visitor.right 0.3", to: "webhooks.left 0.658" },
    { from: "operator.right", to: "api.left" },
    { from: "webhooks.right 0.75", to: "receive.left 0.5" },
    { from: "receive.top", to: "channel.bottom", says: "verify, parse" },
    { from: "worker.bottom", to: "turn.top", says: "a turn" },
    { from: "turn.right 0.25", to: "channel.right 0.5", turn: 776, says: "send", along: 0.8 },
    { from: "turn.right 0.7", to: "responder.left 0.675", says: "ask", along: 0.65 },
    { from: "receive.bottom 0.15", to: "engine.top 0.428", says: "stage, arm", along: 0.75 },
    { from: "sweeper.bottom", to: "engine.top 0.565", says: "sweep" },
    { from: "turn.bottom", to: "engine.top 0.87", says: ["take, draft,", "send, commit"] },
    { from: "api.bottom", to: "engine.top 0.12" },
  ],
};
