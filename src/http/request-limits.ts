import { projectOf } from "../core/projects.ts";
import type { Channel } from "../ports/channel.ts";
import { MOMENT_SECONDS, TOO_MANY } from "../runtime/refuse.ts";
import type { Service } from "../runtime/service.ts";
import { Share, Slots } from "../runtime/slots.ts";
import { failure } from "./answers.ts";
import {
  API_REQUESTS_MAX,
  OPEN_BODY_BYTES,
  OTHER_REQUESTS_MAX,
  PROJECT_API_REQUESTS_MAX,
  PROJECT_SEARCHES_MAX,
  STATUS_SHARE,
} from "./defaults.ts";
import type { Body, EdgeAnswer } from "./edge-request.ts";
import { Intake } from "./intake.ts";

/**
 * What each request shares with the others of its kind in this process. No kind takes another's share: a
 * crowd of visitors keeps no message out.
 */
export interface RequestLimits {
  /** Bodies of callers who have proven nothing. */
  readonly intake: Intake;
  /**
   * Of callers who have shown their token: the operator's where no project is named. A tenant takes places
   * and room from itself, never from another or from the operator.
   */
  readonly proven: (project?: string) => ProvenLimits;
  /**
   * A request counts from when its body is there: a caller that only announces a body, or sends it a byte
   * at a time, takes no slot from another.
   */
  readonly slots: Readonly<Record<Kind, Slots>>;
  /**
   * Places of this channel's callers alone, to prove in who they are: where its secret does not come, they
   * take none from another's.
   */
  readonly proving: (channel: string) => Slots;
  /**
   * Places for a webhook, whose proof and work are one: of several projects, one takes half of them at most.
   */
  readonly webhooks: (channel: string, kind: "webhooks" | "status") => Pick<Slots, "use">;
}

/** What all callers with the operator's tokens, or with those of one project, share. */
export interface ProvenLimits {
  readonly intake: Intake;
  readonly slots: Slots;
  /** Those of the slots in which may be searched. */
  readonly searches: Pick<Slots, "use">;
}

/**
 * What is asked for without a token: to take in messages, to hear of sends, to read as a visitor (or to prove
 * ownership by GET), or whether we are ready.
 */
export type Kind = "webhooks" | "status" | "feed" | "other";

const RETRY_AFTER = { "retry-after": String(MOMENT_SECONDS) };

export function createRequestLimits(service: Service): RequestLimits {
  const { settings, channels, clock, projectTokens } = service;
  const { readingBytesMax, requestsMax, feedRequestsMax, bodyTimeoutMs: timeoutMs } = settings;
  // The largest body that may be sent must fit when no other is being read.
  const intakeFor = (largest: number, room = readingBytesMax) =>
    new Intake({ bytesMax: Math.max(room, 2 * largest + OPEN_BODY_BYTES), timeoutMs, clock });
  const webhooks = Object.values(channels).map((channel) => bytesMaxOf(channel, settings));
  const operatorSlots = new Slots(API_REQUESTS_MAX);
  const operators = {
    intake: intakeFor(settings.bodyBytesMax),
    slots: operatorSlots,
    searches: operatorSlots,
  };
  // Room for two of the largest bodies each: there may be hundreds of projects.
  const ofProject = () => {
    const slots = new Slots(PROJECT_API_REQUESTS_MAX);
    const searches = new Share(slots, PROJECT_SEARCHES_MAX);
    return { intake: intakeFor(settings.bodyBytesMax, 0), slots, searches };
  };
  const projects = new Map(Object.keys(projectTokens).map((name) => [name, ofProject()]));
  const statusMax = Math.ceil(requestsMax * STATUS_SHARE);
  const slots = {
    webhooks: new Slots(requestsMax),
    status: new Slots(statusMax),
    feed: new Slots(feedRequestsMax),
    other: new Slots(OTHER_REQUESTS_MAX),
  };
  const proving = new Map(Object.keys(channels).map((name) => [name, new Slots(feedRequestsMax)]));
  const shares = {
    webhooks: sharesOf(service, slots.webhooks, requestsMax),
    status: sharesOf(service, slots.status, statusMax),
  };
  return {
    intake: intakeFor(Math.max(...webhooks)),
    proven: (project) => (project === undefined ? operators : projects.get(project)!),
    slots,
    proving: (name) => proving.get(name)!,
    webhooks: (name, kind) => shares[kind](name),
  };
}

function sharesOf({ settings, channels }: Service, whole: Slots, max: number) {
  const parties = Map.groupBy(Object.keys(channels), (name) => projectOf(settings, name));
  if (parties.size <= 1) return () => whole;
  const each = [...parties.values()].flatMap((names) => {
    const share = new Share(whole, Math.ceil(max / 2));
    return names.map((name) => [name, share] as const);
  });
  const shares = new Map(each);
  return (name: string) => shares.get(name)!;
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
