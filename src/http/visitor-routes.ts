import { NAME_MAX, READER_LENGTH_MIN } from "../channels/web/visitor.ts";
import { URL_LENGTH_MAX } from "../core/defaults.ts";
import {
  either,
  flag,
  list,
  number,
  object,
  open,
  optional,
  someText,
  text,
  time,
} from "../schema/schema.ts";
import { ERROR } from "./api-schemas.ts";
import { FEED } from "./feed-shape.ts";
import type { Described } from "./route.ts";

const VISITORS = { tag: "visitors", security: [{ visitor: [] }, {}] };

const MEDIUM = open(
  {
    url: someText("http or https.", URL_LENGTH_MAX),
    content_type: someText(undefined, NAME_MAX),
    name: someText(undefined, NAME_MAX),
  },
  ["url", "content_type"],
);

const MESSAGE = open(
  {
    id: someText("Made by you for each message of a sender: twice is a duplicate.", NAME_MAX),
    sender: someText("Who writes.", NAME_MAX),
    text: text("May be left out where there is `media`."),
    media: list(MEDIUM, "Ten at most."),
    sent_at: either(time(), number({}, "Milliseconds.")),
  },
  ["id", "sender"],
);

const TAKEN = object({
  ok: flag(),
  code: optional(text("Why not.")),
  detail: optional(text()),
  conversation_id: optional(text("Not of a duplicate.")),
});

/** `channels/web` reads the message and answers. */
const WRITE: Described = {
  ...VISITORS,
  method: "POST",
  path: "/webhooks/{channel}",
  operation: "writeMessage",
  summary: "A visitor's message on a web channel; elsewhere what a provider posts",
  body: MESSAGE,
  answers: { 200: { description: "Stored", schema: TAKEN } },
  refused: either(TAKEN, ERROR),
};

/** `feed.ts` answers. */
const READ: Described = {
  ...VISITORS,
  method: "GET",
  path: "/webhooks/{channel}/feed",
  operation: "readFeed",
  summary: "A visitor's conversation on a web channel: what was said, what waits, and what happens now",
  query: {
    sender: {
      type: "string",
      minLength: READER_LENGTH_MIN,
      maxLength: NAME_MAX,
      description: "The visitor.",
    },
    conversation: text("Its id; the visitor's latest when left out."),
    after: number({}, "The `n` of the last message that is known: only later ones are told."),
  },
  required: ["sender"],
  answers: {
    200: { description: "The feed", schema: FEED },
    404: { description: "No such conversation of this visitor", schema: ERROR },
  },
};

/** Where a web channel's visitors write and read. */
export const VISITOR_ROUTES: readonly Described[] = [WRITE, READ];
