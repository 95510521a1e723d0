import { projectOf } from "../core/projects.ts";
import type { Channel } from "../ports/channel.ts";
import { MOMENT_SECONDS, TOO_MANY } from "../runtime/refuse.ts";
import type { Service } from "../runtime/service.ts";
import { Part, Share, Slots } from "../runtime/slots.ts";
import { failure } from "./answers.ts";
import {
  API_REQUESTS_MAX,
  OPEN_BODY_BYTES,
  OTHER_REQUESTS_MAX,
  PROJECT_API_REQUESTS_MAX,
  PROJECT_LISTS_MAX,
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
   * Places for what comes to a channel: of several projects each has a share, so that a crowd of one's
   * callers, or its secret that does not come, leaves places to the others.
   */
  readonly shared: (channel: string, kind: SharedKind) => Pick<Slots, "use">;
  /** Whose callers these are, as far as callers share: those of a project. */
  readonly party: (channel: string) => string;
}

/** What all callers with the operator's tokens, or with those of one project, share. */
export interface ProvenLimits {
  readonly intake: Intake;
  readonly slots: Slots;
  /** Those of the slots in which may be searched. */
  readonly searches: Pick<Slots, "use">;
  /** Where a list is made among the rows of all: few at once, one after the other. */
  readonly lists?: Pick<Slots, "useNext">;
}

/**
 * What is asked for without a token: to take in messages, to hear of sends, to read as a visitor (or to prove
 * ownership by GET), or whether we are ready.
 */
export type Kind = "webhooks" | "status" | "feed" | "other";

type SharedKind = Exclude<Kind, "other">;

const RETRY_AFTER = { "retry-after": String(MOMENT_SECONDS) };

export function createRequestLimits(service: Service): RequestLimits {
  const { settings, channels, clock, projectTokens } = service;
  const party = (name: string) => projectOf(settings, name);
  const isShared = new Set(Object.keys(channels).map(party)).size > 1;
  const { readingBytesMax, requestsMax, feedRequestsMax, bodyTimeoutMs: timeoutMs } = settings;
  // The largest body that may be sent must fit when no other is being read.
  const intakeFor = (largest: number, room = readingBytesMax, isShared = false) => {
    const bytesMax = Math.max(room, 2 * largest + OPEN_BODY_BYTES);
    const shared = isShared ? { bytesMin: largest + OPEN_BODY_BYTES } : {};
    return new Intake({ bytesMax, timeoutMs, clock, ...shared });
  };
  const largest = Math.max(...Object.values(channels).map((channel) => bytesMaxOf(channel, settings)));
  const operatorSlots = new Slots(API_REQUESTS_MAX);
  const operators = {
    intake: intakeFor(settings.bodyBytesMax),
    slots: operatorSlots,
    searches: operatorSlots,
  };
  // Room for two of the largest bodies each: there may be hundreds of projects.
  const ofProject = () => {
    const slots = new Slots(PROJECT_API_REQUESTS_MAX);
    const searches = new Part(slots, PROJECT_SEARCHES_MAX);
    const lists = new Slots(PROJECT_LISTS_MAX);
    return { intake: intakeFor(settings.bodyBytesMax, 0), slots, searches, lists };
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
  const sharesOf = (whole: Slots) => {
    const parties = [...new Set(Object.keys(channels).map(party))];
    return new Map(parties.map((each) => [each, isShared ? new Share(whole) : whole]));
  };
  const shares = {
    webhooks: sharesOf(slots.webhooks),
    status: sharesOf(slots.status),
    feed: sharesOf(slots.feed),
  };
  return {
    intake: intakeFor(largest, readingBytesMax, isShared),
    proven: (project) => (project === undefined ? operators : projects.get(project)!),
    slots,
    proving: (name) => proving.get(name)!,
    shared: (name, kind) => shares[kind].get(party(name))!,
    party,
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
