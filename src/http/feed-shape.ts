import {
  component,
  flag,
  type Infer,
  list,
  number,
  object,
  oneOf,
  optional,
  text,
  time,
} from "../schema/schema.ts";
import { count } from "./api-schemas.ts";

const WAITING = component(
  "FeedWaiting",
  object(
    { id: text("The one that the page gave it."), text: text(), at: time() },
    "A message that no turn has committed yet.",
  ),
);

const MESSAGE = component(
  "FeedMessage",
  object({
    n: number({}, "Grows with every message of a conversation."),
    role: oneOf("user", "assistant"),
    text: text(),
    at: time(),
    turn_id: text(),
  }),
);

const TURN = component(
  "FeedTurn",
  object({
    turn_id: text(),
    outcome: text(),
    message_ids: list(text()),
    attempts: count(),
    opened_at: time(),
    due_at: time(),
    taken_at: time(),
    committed_at: time(),
  }),
);

/** The feed of a visitor's conversation, as JSON. The phone page (`web/phone`) is compiled against it. */
export const FEED = component(
  "Feed",
  object({
    conversation: text(),
    now: time("The service's clock: a visitor's own may be wrong."),
    state: oneOf("idle", "gathering", "answering"),
    answering_since: optional(
      time("When the running turn was taken; absent where it waits for its answer without a lease."),
    ),
    due_in_ms: optional(number({ minimum: 0 }, "Until the open window closes.")),
    status: text(),
    paused: flag(),
    handed_off: flag(),
    complete: flag(),
    staged: count("How many wait; `waiting` has the latest of them."),
    waiting: list(WAITING),
    messages: list(MESSAGE, "Those after the `n` that was asked for."),
    turns: list(TURN),
  }),
);

export type Feed = Infer<typeof FEED>;
export type FeedWaiting = Infer<typeof WAITING>;
export type FeedMessage = Infer<typeof MESSAGE>;
export type FeedTurn = Infer<typeof TURN>;
