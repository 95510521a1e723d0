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

const REASON = optional(text("Why. Told to developers alone: by `lull dev`."));

const FAILING = component(
  "FeedFailing",
  object(
    {
      reason: REASON,
      tries: count("All that failed."),
      since: optional(time("Since when tries have ended in an outage.")),
      again_in_ms: optional(number({ minimum: 0 }, "Until it is tried again; absent while it is.")),
    },
    "The turn that waits, or runs, has failed before.",
  ),
);

const UNANSWERED = component(
  "FeedUnanswered",
  object(
    {
      id: optional(text("Of the dead letter, for `lull dead retry`. Told by `lull dev` alone.")),
      at: time(),
      message_ids: list(text("The one that the page gave it.")),
      attempts: count(),
      reason: REASON,
    },
    "Messages that failed for good: no further try is made by itself.",
  ),
);

const UNKNOWN = component(
  "FeedUnknown",
  object(
    {
      id: optional(text("For `lull unknown resend`. Told by `lull dev` alone.")),
      at: time(),
      turn_id: text(),
    },
    "A reply, or a part of one, that may not have arrived.",
  ),
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
    failing: optional(FAILING),
    unanswered: list(UNANSWERED, "The latest five."),
    unknown: list(UNKNOWN, "The latest five."),
  }),
);

export type Feed = Infer<typeof FEED>;
export type FeedWaiting = Infer<typeof WAITING>;
export type FeedMessage = Infer<typeof MESSAGE>;
export type FeedTurn = Infer<typeof TURN>;
export type FeedFailing = Infer<typeof FAILING>;
export type FeedUnanswered = Infer<typeof UNANSWERED>;
export type FeedUnknown = Infer<typeof UNKNOWN>;
