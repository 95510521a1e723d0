import type { ConfiguredChannel } from "../../config/channels.ts";
import type { InboundMessage } from "../../model/message.ts";
import type { Channel } from "../../ports/channel.ts";
import type { Engine, StageOutcome } from "../../ports/engine.ts";
import { arriving } from "../../runtime/arrivals.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { DeadlineMissed } from "../../wire/deadline.ts";
import { type Call, type Command, requiredOption, textOption } from "../command.ts";
import { withData } from "../data.ts";
import { receivedSince } from "../listing.ts";
import { printResult } from "../output/print.ts";
import { type Progress, progress } from "../output/progress.ts";
import { table } from "../output/table.ts";
import { parseSince } from "../output/times.ts";
import { CommandFailed, UsageError } from "../usage-error.ts";

/** Messages staged in one step: a long outage must not become one huge transaction. */
const BATCH = 100;

interface Tally {
  readonly channel: string;
  readonly listed: number;
  readonly new: number;
  readonly duplicates: number;
  readonly refused: number;
}

export const catchUp: Command = {
  usage: "--since 2h|TIME [options]",
  about: `Asks each provider what it received since then and stages what is not there yet, for example after
an outage in which webhooks failed. Running it twice, or while webhooks come in, is harmless: known messages
are duplicates.`,
  options: {
    since: { type: "string", value: "WHEN", help: "2h, 30m, 1d, or a time such as 2026-11-15T05:00:00Z" },
    channel: { type: "string", value: "NAME", help: "only this channel" },
  },
  examples: ["lull catch-up --since 2h", "lull catch-up --since 2026-11-15T05:00:00Z --channel whatsapp"],
  run: async (call) => {
    const sinceAtMs = sinceOf(call);
    return withData(
      call,
      ({ engine, loaded }) => catchUpAll(call, engine, chosen(call, loaded.channels), sinceAtMs),
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
    throw new UsageError(`--since must be 30m, 2h, 1d or an ISO time, not ${given}`);
  if (sinceAtMs > nowMs) throw new UsageError("--since lies in the future");
  return sinceAtMs;
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
  engine: Engine,
  channels: readonly ConfiguredChannel[],
  sinceAtMs: number,
): Promise<number> {
  const shown = progress(call.io);
  const tallies: Tally[] = [];
  for (const { name, channel } of channels)
    tallies.push(await catchUpOne(call, engine, name, channel, sinceAtMs, shown));
  shown.end();
  const rows = tallies.map((t) => [
    t.channel,
    String(t.listed),
    String(t.new),
    String(t.duplicates),
    String(t.refused),
  ]);
  printResult(call, { channels: tallies }, table(["channel", "listed", "new", "known", "refused"], rows));
  return 0;
}

async function catchUpOne(
  call: Call,
  engine: Engine,
  name: string,
  channel: Channel,
  sinceAtMs: number,
  shown: Progress,
) {
  const outcomes: StageOutcome["kind"][] = [];
  let batch: InboundMessage[] = [];
  const flush = async () => {
    outcomes.push(...(await stage(call, engine, name, batch)));
    batch = [];
    shown.update(`${name}: ${outcomes.length} listed`);
  };
  try {
    for await (const message of receivedSince(channel, sinceAtMs, systemClock)) {
      batch.push(message);
      if (batch.length === BATCH) await flush();
    }
  } catch (error) {
    if (!(error instanceof DeadlineMissed)) throw error;
    // What came is stored, and the next run finds it known.
    if (batch.length > 0) await flush();
    throw new CommandFailed(
      `${name}: the provider gave ${error.message}; ${outcomes.length} messages are in, ` +
        "run it again for the rest",
    );
  }
  if (batch.length > 0) await flush();
  return tally(name, outcomes);
}

async function stage(call: Call, engine: Engine, channel: string, messages: readonly InboundMessage[]) {
  const requests = arriving(messages, { channel, arrivedAtMs: call.io.nowMs() });
  return (await engine.receiving.stage(requests)).map(({ kind }) => kind);
}

function tally(channel: string, outcomes: readonly StageOutcome["kind"][]): Tally {
  const count = (kind: StageOutcome["kind"]) => outcomes.filter((each) => each === kind).length;
  return {
    channel,
    listed: outcomes.length,
    new: count("staged"),
    duplicates: count("duplicate"),
    refused: count("refused"),
  };
}
