import { posix } from "node:path";
import { FILES } from "./sources.ts";

/**
 * Tests of what several files do together, and what that is. Every other test stands beside the file that it
 * is named after, or is named after its folder: `twilio/twilio.test.ts`.
 */
export const BEHAVIOURS: Readonly<Record<string, string>> = {
  "config/told-secrets.test.ts": "what a start with a wrong configuration says, wherever it is found",
  "engines/aws/steps/drain-cost.test.ts": "what a pile costs to drain, in requests and units",
  "engines/sqlite/drain-cost.test.ts": "what a pile costs to drain, in rows that are read",
  "engines/sqlite/durability.test.ts": "what was acknowledged is on the disk",
  "engines/sqlite/foreign-rows.test.ts": "rows that another program wrote stop no conversation",
  "engines/sqlite/foreign-states.test.ts": "states and times that another program wrote mute no conversation",
  "engines/sqlite/lost-file.test.ts":
    "a database file that is deleted, moved or replaced under a running service",
  "http/api-sizes.test.ts": "what is too large for the API is refused",
  "http/audit.test.ts": "what is changed through the API is told of",
  "http/web-visitors.test.ts": "the pace and the lengths of visitors",
  "runtime/full-conversation.test.ts": "a conversation in which too much waits",
  "runtime/long-replies.test.ts": "replies and late answers at their limits",
  "runtime/lost-lease.test.ts": "a worker whose lease is another's sends nothing",
  "runtime/nudging.test.ts": "a turn begins the moment it is due",
  "runtime/outages.test.ts": "responder, provider or credentials away for minutes, and back",
  "runtime/own-addresses.test.ts": "channels of one type keep to their own addresses",
  "runtime/quoted-errors.test.ts": "customers' words in errors stay out of the log",
  "runtime/waking.test.ts": "a turn within the time of the function that woke it",
  "runtime/worker-timers.test.ts": "a worker waits for one moment at a time",
  "tools/aws-local/crashes.test.ts": "a function that crashes prints no customer's words",
};

export function isNamedAfterSource(path: string): boolean {
  const source = path.replace(/\.test\.ts$/, ".ts");
  const [, folder, name] = /([^/]+)\/([^/]+)\.test\.ts$/.exec(path) ?? [];
  return FILES.includes(source) || (folder === name && FILES.includes(posix.join(source, "../index.ts")));
}
