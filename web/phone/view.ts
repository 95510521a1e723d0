import { type PanelEvent, panelRows, tallyOf } from "./events.ts";
import type { KnownFeed } from "./known-feed.ts";
import { type LogEntry, unsent } from "./message-log.ts";
import { type Circumstances, type Situation, situation } from "./situation.ts";
import { type Item, timelineOf } from "./timeline.ts";

/** Everything that is drawn. */
export interface View {
  readonly items: readonly Item[];
  readonly now: Situation;
  /** Of the panel, and worked out when they are asked for: most of the time it is not in sight. */
  readonly rows: readonly PanelEvent[];
  readonly tally: string;
  /** The current one's id; empty before there is one. */
  readonly conversation: string;
  readonly hasExamples: boolean;
}

/** Everything that it is worked out from. */
export interface Known extends Omit<Circumstances, "feed" | "unsent"> {
  readonly log: readonly LogEntry[];
  /** Oldest first. */
  readonly feeds: readonly KnownFeed[];
  readonly current: KnownFeed | undefined;
}

export function viewOf({ log, feeds, current, ...rest }: Known): View {
  const now = situation({ ...rest, feed: current, unsent: unsent(log).length });
  return {
    items: timelineOf(log, feeds),
    now,
    get rows() {
      return panelRows(log, feeds, rest.serviceNowMs);
    },
    get tally() {
      return tallyOf(feeds);
    },
    conversation: current?.conversation ?? "",
    hasExamples: hasExamples(now, feeds),
  };
}

/** The examples stay until the first turn: a burst is more than one message. */
function hasExamples({ state }: Situation, feeds: readonly KnownFeed[]): boolean {
  if (state === "answering" || state === "trouble") return false;
  return feeds.every(({ turns }) => turns.length === 0);
}
