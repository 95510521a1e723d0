import { plural } from "../shared/wording.ts";
import type { KnownFeed } from "./known-feed.ts";
import { isUnsureNow, unansweredNow } from "./outcomes.ts";

/** What the slim line above the composer says, and the header. */
export interface Situation {
  readonly state: "idle" | "gathering" | "answering" | "trouble";
  readonly text: string;
  readonly count: string;
  /** Under the name of who answers. */
  readonly presence: string;
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

const CALM = "answers after the lull";
const IDLE: Situation = { state: "idle", text: "", count: "", presence: CALM, heard: "", share: 0 };
const AWAY = "not reachable";

/** Trouble first: a visitor who types must know that nothing arrives, and that nothing is lost. */
export function situation(circumstances: Circumstances): Situation {
  const { feed, feedFailed, unsent, retryAtMs, nowMs, serviceNowMs } = circumstances;
  if (retryAtMs > 0 && unsent > 0) return retrying(unsent, retryAtMs - nowMs);
  if (feedFailed) return trouble("service away, trying again", "The service does not answer.", AWAY);
  return feed ? inConversation(feed, serviceNowMs) : IDLE;
}

function retrying(unsent: number, leftMs: number): Situation {
  const inSeconds = secondsUp(leftMs);
  const text = inSeconds > 0 ? `service away, next try in ${inSeconds} s` : "trying again";
  return trouble(text, "The service does not answer. Messages wait here.", AWAY, `${unsent} waiting`);
}

function inConversation(feed: KnownFeed, nowMs: number): Situation {
  const count = plural(feed.staged, "message");
  if (feed.paused && feed.staged > 0)
    return trouble("answering is paused", "Answering is paused.", "paused", count);
  // Between two tries an answer may be drafted already, and only its sending fails.
  const isBetweenTries = feed.failing && (feed.state !== "answering" || feed.againAtMs !== undefined);
  if (isBetweenTries) return tryingAgain(feed, count, nowMs);
  if (feed.state === "answering") return answering(feed, count);
  if (feed.state === "gathering") return gathering(feed, nowMs);
  if (feed.paused) return { ...IDLE, presence: "paused" };
  const person = "a person has taken over";
  if (feed.handed_off) return trouble(person, "A person has taken over.", person);
  return afterwards(feed);
}

/** Nothing is under way: how what was last ended. */
function afterwards(feed: KnownFeed): Situation {
  const last = unansweredNow(feed);
  // A letter that is too long to be told leaves its mark in the status.
  if (last || (feed.unanswered.length === 0 && feed.status === "processing_error")) {
    const text = ["could not be answered", inWords(last?.reason)].filter(Boolean).join(": ");
    return trouble(text, "Could not be answered.", "could not answer");
  }
  if (!isUnsureNow(feed)) return IDLE;
  const unsure = "the answer may not have arrived";
  return trouble(unsure, "The answer may not have arrived.", "not sure that it arrived");
}

function trouble(text: string, heard: string, presence: string, count = ""): Situation {
  return { ...IDLE, state: "trouble", text, count, presence, heard };
}

function answering({ failing }: KnownFeed, count: string): Situation {
  const about = failing
    ? { text: `answering… try ${failing.tries + 1}`, presence: "trying again" }
    : { text: "answering…", presence: "typing…" };
  return { ...IDLE, ...about, state: "answering", count, heard: "Answering." };
}

function tryingAgain({ failing, againAtMs = 0 }: KnownFeed, count: string, nowMs: number): Situation {
  const inSeconds = secondsUp(againAtMs - nowMs);
  const when = inSeconds > 0 ? `trying again in ${inSeconds} s` : "trying again";
  const text = [`no answer ${sinceWhen(failing?.since, nowMs)}, ${when}`, inWords(failing?.reason)];
  return trouble(text.filter(Boolean).join(": "), "No answer yet. Trying again.", "trying again", count);
}

/** For how long, once that is more than a moment. */
function sinceWhen(since: string | undefined, nowMs: number): string {
  const minutes = since === undefined ? 0 : Math.floor((nowMs - Date.parse(since)) / 60_000);
  return minutes < 1 ? "yet" : `for ${minutes} min`;
}

/** Without its code, which is for the log and the docs. */
function inWords(reason = ""): string {
  const words = reason.replace(/^(?:[A-Z][A-Z0-9_]+: )+/, "");
  return words === "" ? reason : words;
}

function gathering({ dueAtMs = 0, opened, staged }: KnownFeed, nowMs: number): Situation {
  const leftMs = Math.max(0, dueAtMs - nowMs);
  return {
    state: "gathering",
    text: leftMs === 0 ? "waiting for the lull" : `waiting for the lull: ${secondsUp(leftMs)} s`,
    count: plural(staged, "message"),
    presence: "listening",
    heard: "Gathering messages.",
    share: opened ? Math.min(1, leftMs / opened.wholeMs) : 0,
  };
}

function secondsUp(ms: number): number {
  return Math.ceil(Math.max(0, ms) / 1000);
}
