import { OPEN_BODY_BYTES } from "../core/defaults.ts";
import type { Channel } from "../ports/channel.ts";
import type { Service } from "../runtime/service.ts";
import { failure } from "./answers.ts";
import type { Body, EdgeAnswer } from "./edge.ts";
import { Intake } from "./intake.ts";
import { Slots } from "./slots.ts";

/** What each request shares with all others of its process, before anybody knows who makes it. */
export interface Door {
  readonly intake: Intake;
  readonly slots: Slots;
}

/** How long a caller is asked to wait when too many requests are in the air. They are short: a moment is enough. */
export const RETRY_AFTER_SECONDS = 1;
const RETRY_AFTER = { "retry-after": String(RETRY_AFTER_SECONDS) };

export function createDoor({ settings, channels, clock }: Service): Door {
  const largest = Math.max(...Object.values(channels).map((channel) => bytesMaxOf(channel, settings)));
  // Whatever may be sent must fit when nobody else sends anything.
  const bytesMax = Math.max(settings.readingBytesMax, 2 * largest + OPEN_BODY_BYTES);
  return {
    intake: new Intake({ bytesMax, timeoutMs: settings.bodyTimeoutMs, clock }),
    slots: new Slots(settings.requestsMax),
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
