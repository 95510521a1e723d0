import type { Channel } from "../ports/channel.ts";
import { MOMENT_SECONDS, TOO_MANY } from "../runtime/refuse.ts";
import type { Service } from "../runtime/service.ts";
import { Slots } from "../runtime/slots.ts";
import { failure } from "./answers.ts";
import { API_REQUESTS_MAX, OPEN_BODY_BYTES, OTHER_REQUESTS_MAX, STATUS_SHARE } from "./defaults.ts";
import type { Body, EdgeAnswer } from "./edge-request.ts";
import { Intake } from "./intake.ts";

/**
 * What each request shares with the others of its kind in this process. No kind takes another's share: a
 * crowd of visitors keeps no message out.
 */
export interface RequestLimits {
  /** Bodies of callers who have proven nothing. */
  readonly intake: Intake;
  /** Bodies of callers who have shown their token. */
  readonly proven: Intake;
  /**
   * A request counts from when its body is there: a caller that only announces a body, or sends it a byte
   * at a time, takes no slot from another.
   */
  readonly slots: Readonly<Record<Kind, Slots>>;
}

/**
 * What is asked for: to take in messages, to hear of sends, to read as a visitor (or to prove ownership by
 * GET), the API, or whether we are ready.
 */
export type Kind = "webhooks" | "status" | "feed" | "api" | "other";

const RETRY_AFTER = { "retry-after": String(MOMENT_SECONDS) };

export function createRequestLimits({ settings, channels, clock }: Service): RequestLimits {
  const { readingBytesMax, requestsMax, feedRequestsMax, bodyTimeoutMs: timeoutMs } = settings;
  // The largest body that may be sent must fit when no other is being read.
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
  return failure(429, TOO_MANY.code, TOO_MANY.detail, RETRY_AFTER);
}

/** The answer where no body could be read. */
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
