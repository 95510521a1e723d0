import { NAME_MAX, READER_LENGTH_MIN } from "../channels/web/visitor.ts";
import { number, text } from "../core/schema.ts";
import { ERROR } from "./api-schemas.ts";
import { FEED } from "./feed-shape.ts";
import type { Described } from "./route.ts";

/** Where a web channel's visitors read; `feed.ts` answers. */
export const FEED_ROUTE: Described = {
  method: "GET",
  path: "/webhooks/{channel}/feed",
  operation: "readFeed",
  summary: "A visitor's conversation on a web channel: what was said, what waits, and what happens now",
  tag: "feed",
  security: [{ visitor: [] }, {}],
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
