import { plural } from "../shared/wording.ts";
import type { KnownFeed } from "./known-feed.ts";

/** What the slim line above the composer says. */
export interface Situation {
  readonly state: "idle" | "gathering" | "answering" | "trouble";
  readonly text: string;
  readonly count: string;
  /** For a screen reader: said when it changes, not every second. */
  readonly heard: string;
  /** How much of the window is left, from 1 to 0. */
  readonly share: number;
}

/** What there is to say it from. */
export interface Circumstances {
  readonly feed: KnownFeed | undefined;
  readonly feedFailed: boolean;
  /** Messages that the service has not acknowledged. */
  readonly unsent: number;
  /** When they are tried again; 0 while nothing is wrong. */
  readonly retryAtMs: number;
  readonly nowMs: number;
  readonly serviceNowMs: number;
}

const IDLE: Situation = { state: "idle", text: "", count: "", heard: "", share: 0 };

/** Trouble first: a visitor who types must know that nothing arrives, and that nothing is lost. */
export function situation(circumstances: Circumstances): Situation {
  const { feed, feedFailed, unsent, retryAtMs, nowMs, serviceNowMs } = circumstances;
  if (retryAtMs > 0 && unsent > 0) return retrying(unsent, retryAtMs - nowMs);
  if (feedFailed) return trouble("service away, trying again", "The service does not answer.");
  return feed ? inConversation(feed, serviceNowMs) : IDLE;
}

function retrying(unsent: number, leftMs: number): Situation {
  const inSeconds = Math.ceil(Math.max(0, leftMs) / 1000);
  const text = inSeconds > 0 ? `service away, next try in ${inSeconds} s` : "trying again";
  return trouble(text, "The service does not answer. Messages wait here.", `${unsent} waiting`);
}

function inConversation(feed: KnownFeed, nowMs: number): Situation {
  const count = plural(feed.staged, "message");
  if (feed.paused && feed.staged > 0) return trouble("answering is paused", "Answering is paused.", count);
  if (feed.state === "answering")
    return { ...IDLE, state: "answering", text: "answering…", count, heard: "Answering." };
  if (feed.state === "gathering") return gathering(feed, nowMs);
  if (feed.handed_off) return trouble("a person has taken over", "A person has taken over.");
  if (feed.status === "processing_error" && feed.staged === 0)
    return trouble("could not be answered: see the dead letters", "Could not be answered.");
  return IDLE;
}

function trouble(text: string, heard: string, count = ""): Situation {
  return { ...IDLE, state: "trouble", text, count, heard };
}

function gathering({ dueAtMs = 0, opened, staged }: KnownFeed, nowMs: number): Situation {
  const leftMs = Math.max(0, dueAtMs - nowMs);
  return {
    state: "gathering",
    text: leftMs === 0 ? "gathering …" : `gathering … ${Math.ceil(leftMs / 1000)} s`,
    count: plural(staged, "message"),
    heard: "Gathering messages.",
    share: opened ? Math.min(1, leftMs / opened.wholeMs) : 0,
  };
}
