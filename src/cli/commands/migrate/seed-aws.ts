import type { ConfiguredChannel } from "../../../config/channels.ts";
import { settingsFor } from "../../../core/projects.ts";
import { StoreUnavailable } from "../../../errors.ts";
import type { Lull } from "../../../index.ts";
import { type AwsMoved, moveTables } from "../../../migrate/seed-aws/move.ts";
import type { EngineProvider } from "../../../ports/engine.ts";
import type { Lacking, SeedTableNames, SeedTables } from "../../../ports/seed-tables.ts";
import { type Call, type Command, textOption } from "../../command.ts";
import { silent, withService } from "../../data.ts";
import { progress } from "../../output/progress.ts";
import { CommandFailed, UsageError } from "../../usage-error.ts";
import {
  ageOption,
  asksToApply,
  channelNamed,
  MIGRATION_OPTIONS,
  oldNotes,
  ownChannels,
} from "./migration.ts";
import { type Reported, refuse, report } from "./seed-aws-report.ts";

export const seedAws: Command = {
  usage: "[--apply] [--create] [options]",
  about: `Moves in from the original system's DynamoDB tables: what is staged there gets its turn, once; locks
that expired are removed; conversations that were left in processing_reply are put to rest. Messages lists and
thread ids stay where they are: Lull reads them. Tables and indexes that Lull needs and that are missing are
shown with the commands that add them. Without --apply it only shows what it would do, and needs no queue.
What is younger than --older-than is left to the original system: with 0s all of it is moved, once that system
is stopped. It may be killed and run again at any time. Exit code 1: something was left, and is listed.`,
  options: {
    ...MIGRATION_OPTIONS,
    create: { type: "boolean", help: "with --apply: make missing tables and indexes first" },
    "older-than": { type: "string", value: "AGE", help: "leave what is younger to the other system (10m)" },
    account: {
      type: "string",
      value: "SID",
      help: "the provider's account, where rows do not name it (TWILIO_ACCOUNT_SID)",
    },
    address: { type: "string", value: "NUMBER", help: "our number, where rows do not name it" },
    "stage-table": { type: "string", value: "NAME", help: "staged messages (the engine's own table)" },
    "lock-table": { type: "string", value: "NAME", help: "trigger locks (the engine's own table)" },
    "holding-table": { type: "string", value: "NAME", help: "staged messages of seed 001 (Holding)" },
    "batch-state-table": {
      type: "string",
      value: "NAME",
      help: "trigger locks of seed 001 (ConversationBatchState)",
    },
  },
  examples: [
    "LULL_ENGINE=aws lull migrate seed-aws",
    "LULL_ENGINE=aws lull migrate seed-aws --apply --create",
    "LULL_ENGINE=aws lull migrate seed-aws --apply --older-than 0s",
  ],
  run: async (call) => {
    const isApplied = asksToApply(call);
    const olderThanMs = ageOption(call, "older-than") ?? OLDER_THAN_MS;
    const newerThanMs = ageOption(call, "newer-than");
    if (call.options.create === true && !isApplied) throw new UsageError("--create needs --apply");
    return withService(call, async ({ lull, loaded }) => {
      const configured = ownChannels(loaded);
      const channel = channelNamed(call, configured);
      const { engine } = loaded.config(silent);
      const tables = await openTables(call, lull, engine);
      try {
        const needs = needsOf(call, engine, tables);
        if (isApplied && needs.length > 0) return refuse(call, { needs, made: [], lacks: [] });
        const { made, lacks } = await complete(call, tables, isApplied);
        if (isApplied && lacks.some(({ canWait }) => !canWait)) return refuse(call, { needs, made, lacks });
        const channels = Object.fromEntries(configured.map(({ name }) => [name, lull.channels[name]!]));
        const moving = { tables, channel, isApplied, olderThanMs, newerThanMs, configured };
        const moved = await move(call, { ...lull, channels }, moving);
        const notes = isApplied ? [] : notesOn(lull, configured, moved);
        return report(call, { isApplied, needs, made, lacks, moved, notes });
      } finally {
        await tables.close();
      }
    });
  },
};

const OLDER_THAN_MS = 10 * 60_000;

function notesOn(lull: Lull, configured: readonly ConfiguredChannel[], { old }: AwsMoved): string[] {
  return [...oldNotes(old, lull.clock.nowMs()), ...admissionNotes(lull, configured)];
}

/** The original system refused who has no conversation, and with it no assistant and no credentials. */
function admissionNotes({ settings }: Lull, configured: readonly ConfiguredChannel[]): string[] {
  const open = configured
    .map(({ name }) => name)
    .filter((name) => settingsFor(settings, name).admission === "open");
  return open.length === 0 ? [] : [`admission is open over ${open.join(", ")}: ${OPEN}`];
}

const OPEN =
  "who has no open conversation, a stranger or the owner of a completed task, gets a new one, without " +
  "ai_config and channel_config. The original system refused them (CONVERSATION_NOT_FOUND): " +
  'LULL_ADMISSION=known, or admission: "known", does as well';

async function openTables(call: Call, lull: Lull, engine: EngineProvider): Promise<SeedTables> {
  if (engine.seedTables === undefined)
    throw new CommandFailed(
      `the ${engine.name} engine has no tables of the seeds beside it: LULL_ENGINE=aws, or --engine aws`,
    );
  const { settings, workerId: holder, log, clock } = lull;
  const given = { clock, settings, holder, log, onArmed: silent };
  return engine.seedTables(tablesOf(call), given).catch((error) => {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new CommandFailed(`${error.message}: is it the right AWS_REGION, or AWS_ENDPOINT_URL?`);
  });
}

const TABLE_OPTIONS: Readonly<Record<keyof SeedTableNames, string>> = {
  stage: "stage-table",
  triggerLock: "lock-table",
  holding: "holding-table",
  batchState: "batch-state-table",
};

function tablesOf(call: Call): Partial<SeedTableNames> {
  const named = Object.entries(TABLE_OPTIONS).flatMap(([table, option]) => {
    const name = textOption(call, option);
    return name === undefined ? [] : [[table, name]];
  });
  return Object.fromEntries(named);
}

/** What has to be said or put right by the caller before anything is changed. */
function needsOf(call: Call, { triggerQueues }: EngineProvider, { sources, region }: SeedTables): string[] {
  const named = Object.entries(TABLE_OPTIONS).filter(([, option]) => textOption(call, option) !== undefined);
  const options = new Map<string, string>(named);
  const absent = sources.filter(({ isThere }) => !isThere);
  const misnamed = absent.flatMap(({ table, name }) => {
    const option = options.get(table);
    return option === undefined ? [] : [`there is no table ${name} (--${option}) in ${region}`];
  });
  const nameOf = (table: string) => sources.find((each) => each.table === table)?.name;
  const isAbsent = (table: string) => absent.some((each) => each.table === table);
  const [stage, holding] = [nameOf("stage"), nameOf("holding")];
  return [
    ...misnamed,
    ...(misnamed.length === 0 && isAbsent("stage") && isAbsent("holding")
      ? [`there is no table of staged messages in ${region}: neither ${stage} nor ${holding}. ${NAMES}`]
      : []),
    ...(isAbsent("conversations")
      ? [`there is no table ${nameOf("conversations")} in ${region}, ${CONVERSATIONS}`]
      : []),
    ...(triggerQueues?.().length === 0 ? [QUEUE] : []),
  ];
}

const NAMES = "If it has another name: LULL_TABLE_STAGE, --stage-table or --holding-table";
const CONVERSATIONS =
  "and --create makes none: the other system's conversations are in it. Name it: LULL_TABLE_CONVERSATIONS";
const QUEUE =
  "--apply needs a queue: what is moved is answered when a trigger comes through it. " +
  "Set LULL_QUEUE_DEFAULT to its URL";

/** What was missing and is there now, and what still is missing. */
async function complete(
  call: Call,
  tables: SeedTables,
  isApplied: boolean,
): Promise<Pick<Reported, "made" | "lacks">> {
  const made: Lacking[] = [];
  if (isApplied && call.options.create === true) {
    const shown = progress(call.io);
    await tables.make((lacking) => {
      made.push(lacking);
      shown.update(`adding: ${lacking.table} ${lacking.what}`);
    });
    shown.end();
  }
  return { made, lacks: await tables.lacks() };
}

interface Moving {
  readonly tables: SeedTables;
  readonly channel: string | undefined;
  readonly isApplied: boolean;
  readonly olderThanMs: number;
  readonly newerThanMs: number | undefined;
  readonly configured: readonly ConfiguredChannel[];
}

/** One account for rows of several channels would give messages ids that no webhook of theirs has. */
function accountsBy(call: Call, configured: readonly ConfiguredChannel[]) {
  const account = textOption(call, "account") ?? call.io.env.TWILIO_ACCOUNT_SID;
  const isNamed = textOption(call, "channel") !== undefined;
  const withAccounts = configured.filter(({ kind }) => kind.startsWith("twilio") || kind === "code");
  return (name: string): string | undefined => {
    const type = configured.find((each) => each.name === name)?.channel.type;
    const others = withAccounts.filter((each) => each.name !== name && each.channel.type === type);
    return isNamed || others.length === 0 ? account : undefined;
  };
}

async function move(
  call: Call,
  { channels, clock }: Lull,
  { tables, channel, isApplied, olderThanMs, newerThanMs, configured }: Moving,
): Promise<AwsMoved> {
  const shown = progress(call.io);
  const moved = await moveTables({
    tables,
    channels,
    channel,
    clock,
    accountFor: accountsBy(call, configured),
    address: textOption(call, "address"),
    isApplied,
    olderThanMs,
    newerThanMs,
    onProgress: shown.update,
  });
  shown.end();
  return moved;
}
