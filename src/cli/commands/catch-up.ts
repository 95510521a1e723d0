import type { ConfiguredChannel } from "../../config/channels.ts";
import type { Lull } from "../../index.ts";
import { type CatchUpResult, type Left, whyForgotten } from "../../runtime/catch-up.ts";
import { type Call, type Command, requiredOption, textOption } from "../command.ts";
import { type Opened, withData } from "../data.ts";
import { printResult } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { oneLine, table } from "../output/table.ts";
import { parseSince, relativeTime } from "../output/times.ts";
import { reportError } from "../report-error.ts";
import { CommandFailed, UsageError } from "../usage-error.ts";

/** Of what is left, so many are shown; a program gets all of them. */
const SHOWN_MAX = 20;
const SENDER_MAX = 60;

const MOVED =
  "not fetched, because a message that was moved in (lull migrate) says the same at nearly the same time, " +
  "or is of that time and one of the two is a file";

type ChannelResult = CatchUpResult & { readonly channel: string };

export const catchUp: Command = {
  usage: "--since 2h|TIME [options]",
  about: `Asks each provider what it received since then and stages what is not there yet, for example after
an outage in which webhooks failed. Running it twice, or while webhooks come in, is harmless: known messages
are duplicates. A provider's list has no user ids: messages of numbers that have come with one are left, and
shown, because the number may have passed to another person. So is what lull migrate seems to have moved in.`,
  options: {
    since: {
      type: "string",
      value: "WHEN",
      help: "2h, 30m, 1d, 1w, or a time such as 2026-11-15T05:00:00Z; not before ids are remembered",
    },
    channel: { type: "string", value: "NAME", help: "only this channel" },
    "by-number": {
      type: "boolean",
      help: "take what a number's only owner may have written: it has come with one user id and no other",
    },
    "beyond-memory": {
      type: "boolean",
      help: "further back than limits.dedupeHours: what was answered before that is answered again",
    },
  },
  examples: ["lull catch-up --since 2h", "lull catch-up --since 2026-11-15T05:00:00Z --channel whatsapp"],
  run: async (call) => {
    const sinceAtMs = sinceOf(call);
    return withData(
      call,
      async (opened) => {
        await requireMemory(call, opened, sinceAtMs);
        return catchUpAll(call, opened.lull, chosen(call, opened.loaded.channels), sinceAtMs);
      },
      {
        mayCreate: true,
        check: (loaded) => void chosen(call, loaded.channels),
      },
    );
  },
};

function sinceOf(call: Call): number {
  const nowMs = call.io.nowMs();
  const given = requiredOption(call, "since", "how far back? 2h, 1d, or a time");
  const sinceAtMs = parseSince(given, nowMs);
  if (sinceAtMs === undefined)
    throw new UsageError(
      `--since must be 30m, 2h, 1d or an ISO time such as 2026-11-15T05:00:00Z, not ${given}`,
    );
  if (sinceAtMs > nowMs) throw new UsageError("--since lies in the future");
  if (sinceAtMs < 0) throw new UsageError("--since lies before 1970");
  return sinceAtMs;
}

async function requireMemory(call: Call, { lull, engine }: Opened, sinceAtMs: number): Promise<void> {
  if (call.options["beyond-memory"] === true) return;
  const why = await whyForgotten(engine, lull.settings, sinceAtMs);
  if (why === undefined) return;
  const advice = "If that is meant, or nothing older was answered: --beyond-memory";
  throw new UsageError(`--since is too far back: ${why}. ${advice}`);
}

function chosen(call: Call, channels: readonly ConfiguredChannel[]): ConfiguredChannel[] {
  const name = textOption(call, "channel");
  const able = channels.filter(({ channel }) => channel.listReceived !== undefined);
  const found = name === undefined ? able : able.filter((channel) => channel.name === name);
  if (found.length > 0) return found;
  const names = able.map((channel) => channel.name).join(", ") || "none";
  throw new CommandFailed(`no such channel can list what it received; those that can: ${names}`);
}

async function catchUpAll(
  call: Call,
  lull: Lull,
  channels: readonly ConfiguredChannel[],
  sinceAtMs: number,
): Promise<number> {
  const shown = progress(call.io);
  const byNumber = call.options["by-number"] === true;
  const beyondMemory = call.options["beyond-memory"] === true;
  const results: ChannelResult[] = [];
  const failures: unknown[] = [];
  for (const { name: channel } of channels) {
    const onProgress = (listed: number) => shown.update(`${channel}: ${listed} listed`);
    try {
      const result = await lull.catchUp({ channel, sinceAtMs, byNumber, beyondMemory, onProgress });
      results.push({ channel, ...result });
    } catch (error) {
      // One provider that cannot be asked keeps no other from it.
      failures.push(error);
    }
  }
  shown.end();
  if (results.length > 0) printResults(call, results, byNumber);
  const [last, ...before] = failures.reverse();
  for (const failure of before.reverse()) reportError(failure, false, call.io);
  if (last !== undefined) throw last;
  return 0;
}

function printResults(call: Call, results: readonly ChannelResult[], byNumber: boolean): void {
  const rows = results.map((each) => {
    const { listed, duplicates, refused, unattributed, moved } = each;
    const counts = [listed, each.new, duplicates, refused, unattributed.length, moved.length];
    return [each.channel, ...counts.map(String)];
  });
  const columns = ["channel", "listed", "new", "duplicates", "refused", "unattributed", "moved"];
  const why = byNumber
    ? "need a person: their number has come with other user ids, or its owner has left it"
    : "need a person: their number has come with a user id, which the list does not tell";
  const nowMs = call.io.nowMs();
  const sentences = [
    table(columns, rows),
    ...results.flatMap(({ channel, unattributed }) => whatIsLeft(channel, unattributed, why, nowMs)),
    ...results.flatMap(({ channel, moved }) => whatIsLeft(channel, moved, MOVED, nowMs)),
  ];
  printResult(call, { channels: results }, sentences.join("\n"));
}

/** Each of them, and why. */
function whatIsLeft(channel: string, left: readonly Left[], why: string, nowMs: number): string[] {
  if (left.length === 0) return [];
  const rows = left
    .slice(0, SHOWN_MAX)
    .map(({ sentAtMs, sender, providerId }) => [
      sentAtMs === undefined ? "" : relativeTime(sentAtMs, nowMs),
      oneLine(sender, SENDER_MAX),
      oneLine(providerId, SENDER_MAX),
    ]);
  const more = left.length - rows.length;
  return [
    `\n${channel}: ${left.length} ${why}`,
    table(["sent", "sender", "id"], rows),
    ...(more > 0 ? [`and ${more} more: --json shows all`] : []),
  ];
}
