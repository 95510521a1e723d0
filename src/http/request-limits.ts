import { API_REQUESTS_MAX, OPEN_BODY_BYTES, OTHER_REQUESTS_MAX, STATUS_SHARE } from "../core/defaults.ts";
import type { Channel } from "../ports/channel.ts";
import type { Service } from "../runtime/service.ts";
import { failure } from "./answers.ts";
import type { Body, EdgeAnswer } from "./edge-request.ts";
import { Intake } from "./intake.ts";
import { Slots } from "./slots.ts";

/** What each request shares with all others of its kind in this process. None of them takes another's: a crowd of visitors keeps no message out. */
export interface RequestLimits {
  /** Bodies of whoever calls. */
  readonly intake: Intake;
  /** Bodies of callers who have shown their token. */
  readonly proven: Intake;
  readonly slots: Readonly<Record<Kind, Slots>>;
}

/** What is asked for: to take in messages, to hear of sends, to read as a visitor (or to prove ownership by GET), the API, and whether we are ready. */
export type Kind = "webhooks" | "status" | "feed" | "api" | "other";

/** How long a caller is asked to wait when too many requests are in the air. They are short: a moment is enough. */
export const RETRY_AFTER_SECONDS = 1;
const RETRY_AFTER = { "retry-after": String(RETRY_AFTER_SECONDS) };

export function createRequestLimits({ settings, channels, clock }: Service): RequestLimits {
  const { readingBytesMax, requestsMax, feedRequestsMax, bodyTimeoutMs: timeoutMs } = settings;
  // Whatever may be sent must fit when nobody else sends anything.
  const intakeFor = (largest: number) =>
    new Intake({ bytesMax: Math.max(readingBytesMax, 2 * largest + OPEN_BODY_BYTES), timeoutMs, clock });
  const webhooks = Object.values(channels).map((channel) => bytesMaxOf(channel, settings));
  return {
    intake: intakeFor(Math.max(...webhooks)),
    proven: intakeFor(settings.bodyBytesMax),
    slots: {
      webhooks: new Slots(requestsMax),
      status: new Slots(Math.ceil(requestsMax * STATUS_SHARE)),
      feed: new Slots(feedRequestsMax),
      api: new Slots(API_REQUESTS_MAX),
      other: new Slots(OTHER_REQUESTS_MAX),
    },
  };
}

export function bytesMaxOf(
  channel: Channel,
  { bodyBytesMax }: Pick<Service["settings"], "bodyBytesMax">,
): number {
  return channel.bodyBytesMax ?? bodyBytesMax;
}

export function tooMany(): EdgeAnswer {
  return failure(429, "RATE_LIMITED", "too many requests at once", RETRY_AFTER);
}

/** For a body that is not there. */
export function unread(body: Exclude<Body, Buffer>, bytesMax: number): EdgeAnswer {
  switch (body) {
    case "too-large":
      return failure(413, "PAYLOAD_TOO_LARGE", `at most ${bytesMax} bytes`);
    case "gone":
      return failure(400, "INVALID_PAYLOAD", "the body ended early");
    case "too-slow":
      return failure(408, "TOO_SLOW", "the body came too slowly");
    case "crowded-out":
      return tooMany();
  }
}
