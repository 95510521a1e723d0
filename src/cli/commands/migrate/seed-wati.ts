import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { MEMORY_MARGIN_MS } from "../../../core/defaults.ts";
import { canonicalAddress, isAmong } from "../../../core/own-addresses.ts";
import { customersIn, type SeedCustomers } from "../../../migrate/seed-wati/customers.ts";
import { deletionOf } from "../../../migrate/seed-wati/deletion.ts";
import { readSeedFile } from "../../../migrate/seed-wati/file.ts";
import { moveCustomers, type WatiMoved } from "../../../migrate/seed-wati/move.ts";
import { NO_NUMBER } from "../../../migrate/seed-wati/rows.ts";
import type { Channel } from "../../../ports/channel.ts";
import type { Engine } from "../../../ports/engine.ts";
import { type Call, type Command, textOption } from "../../command.ts";
import { type Opened, withService } from "../../data.ts";
import { printResult } from "../../output/print.ts";
import { progress } from "../../output/progress.ts";
import { wrapped } from "../../output/wrapped.ts";
import { CommandFailed, UsageError } from "../../usage-error.ts";
import {
  ageOption,
  asksToApply,
  channelFor,
  inWords,
  MIGRATION_OPTIONS,
  oldNotes,
  ownChannels,
} from "./migration.ts";

export const seedWati: Command = {
  usage: "<thread_store.db> [--apply] [options]",
  about: `Moves in from a WATI bot that keeps its threads and its buffer in SQLite: each customer gets a
conversation with the ids of their OpenAI thread, and what is buffered gets its turn, once. Without --apply it
only shows what it would do. The file is only read. Stop the bot first: what it takes out of its buffer while
this runs would be answered twice. It may be killed and run again at any time. Locks are shown and not
needed: they end with the bot. For the way back, --print-delete prints the SQL that takes what was moved out
of the bot's buffer. Exit code 1: something was left, and is listed.`,
  options: {
    ...MIGRATION_OPTIONS,
    address: {
      type: "string",
      value: "NUMBER",
      help: "our number that the customers wrote to (the channel's, if it has one)",
    },
    "print-delete": {
      type: "boolean",
      help: "only print the SQL that deletes from the file's buffer what was moved",
    },
    "beyond-memory": {
      type: "boolean",
      help: "also what may have been answered before ids were remembered (limits.dedupeHours)",
    },
  },
  args: { required: ["<thread_store.db>"] },
  examples: [
    "lull migrate seed-wati app/thread_store.db",
    "lull migrate seed-wati app/thread_store.db --apply",
    "lull migrate seed-wati app/thread_store.db --print-delete > moved.sql",
  ],
  run: async (call) => {
    const isApplied = asksToApply(call);
    const newerThanMs = ageOption(call, "newer-than");
    const isForDeletion = call.options["print-delete"] === true;
    if (isApplied && isForDeletion) throw new UsageError("--apply and --print-delete: which of the two?");
    const file = resolve(call.io.cwd, call.args[0] as string);
    await access(file).catch(() => {
      throw new CommandFailed(`there is no file ${file}`);
    });
    return withService(call, async (service) => {
      const { rows, lacks } = readSeedFile(file);
      const found = customersIn(rows);
      const to = targetOf(call, service);
      const engine = isApplied || (await isThere(service)) ? await service.lull.engine() : undefined;
      const moved = await move(call, service, { engine, isApplied, found, newerThanMs, ...to });
      if (isForDeletion) return printDeletion(call, found, moved);
      const notes = oldNotes(moved.old, service.lull.clock.nowMs());
      return report(call, { isApplied, lacks, found, moved, notes });
    });
  },
};

/** A store that is not there yet holds nothing, and a look makes none. */
async function isThere({ loaded }: Pick<Opened, "loaded">): Promise<boolean> {
  const { db } = loaded.server;
  return (
    db === undefined ||
    access(db).then(
      () => true,
      () => false,
    )
  );
}

interface Target {
  readonly channel: string;
  /** Our number there. */
  readonly address: string;
}

function targetOf(call: Call, { lull, loaded }: Pick<Opened, "lull" | "loaded">): Target {
  const channel = channelFor(call, ownChannels(loaded), ({ kind }) => kind.startsWith("wati"), WATIS);
  return { channel, address: addressFor(call, channel, lull.channels[channel]!) };
}

const WATIS = {
  what: "WATI's",
  how: "set WATI_API_URL, WATI_TOKEN, WATI_WEBHOOK_SECRET and WATI_NUMBERS",
};

interface Moving extends Target {
  readonly engine: Engine | undefined;
  readonly isApplied: boolean;
  readonly found: SeedCustomers;
  readonly newerThanMs: number | undefined;
}

async function move(
  call: Call,
  { lull }: Pick<Opened, "lull">,
  { engine, isApplied, found, newerThanMs, channel, address }: Moving,
): Promise<WatiMoved> {
  const shown = progress(call.io);
  const { settings, channels, clock } = lull;
  const isRemembered = engine !== undefined && call.options["beyond-memory"] !== true;
  const knownSinceMs = isRemembered ? (await engine.receiving.knownSinceMs()) + MEMORY_MARGIN_MS : 0;
  const total = found.customers.length;
  const moved = await moveCustomers(
    {
      engine,
      settings,
      channels,
      channel,
      address,
      clock,
      knownSinceMs,
      isApplied,
      newerThanMs,
      onProgress: (customers) => shown.step(customers, total, "customer"),
    },
    found.customers,
  );
  shown.end();
  return moved;
}

/**
 * A conversation is a customer at one of our numbers, and the file does not say which. A guess would leave
 * the customer with two: the moved one, and one for the number that the next webhook names.
 */
function addressFor(call: Call, name: string, { addresses = [], addressesSetBy }: Channel): string {
  const given = textOption(call, "address");
  const own = addresses.join(", ");
  if (given !== undefined) {
    if (addresses.length > 0 && !isAmong(given, addresses))
      throw new UsageError(`--address ${given} is not a number of channel ${name}: ${own}`);
    return canonicalAddress(given);
  }
  if (addresses.length === 1) return canonicalAddress(addresses[0]!);
  if (addresses.length > 1)
    throw new UsageError(`channel ${name} has the numbers ${own}: --address says whose customers these are`);
  throw new CommandFailed(
    `channel ${name} does not say which number is yours, and webhooks do, so customers would get a second ` +
      `conversation: set ${addressesSetBy ?? "its addresses"}, or give --address ` +
      `(--address ${UNNAMED} if your webhooks name no number)`,
  );
}

/** The address of WATI's webhooks that name none. */
const UNNAMED = "wati";

function printDeletion(call: Call, { messages }: SeedCustomers, { before }: WatiMoved): number {
  const { statements, unnamed } = deletionOf(before);
  if (call.json) printResult(call, { statements }, "");
  else for (const statement of statements) call.io.out(statement);
  const named = before.length - unnamed;
  call.io.err(`rows of the buffer that were moved: ${named}; others, which stay: ${messages - named}\n`);
  if (unnamed === 0) return 0;
  call.io.err(`of those that stay, ${unnamed} were moved and have no row number: delete them by hand\n`);
  return 1;
}

const DONE =
  "Next: for the way back, the same with --print-delete > moved.sql instead of --apply; then lull resume, " +
  "if Lull is paused.";

interface Reported {
  readonly isApplied: boolean;
  readonly lacks: readonly string[];
  readonly found: SeedCustomers;
  readonly moved: WatiMoved;
  readonly notes: readonly string[];
}

function report(call: Call, { isApplied, lacks, found, moved, notes }: Reported): number {
  const { left, before, ...counts } = moved;
  const { junk, locks, threads, merged, messages, customers } = found;
  const withoutNumber = junk.filter(({ why }) => why === NO_NUMBER).length;
  const read = { customers: customers.length, threads, merged, messages, withoutNumber, locks: locks.length };
  const junkOf = (table: string) => junk.filter((row) => row.table === table).length;
  const verb = isApplied ? "" : "would be ";
  // Which ids are remembered, though their conversation is gone, shows when they are staged.
  const most = isApplied ? "" : ", at most";
  const words = inWords(
    [
      ["threads in the file", threads],
      ["threads left", junkOf("threads")],
      ["threads of a number that has another", merged],
      ["processing locks (not needed)", locks.length],
      [`conversations ${verb}created`, counts.created],
      ["conversations that were there", counts.known],
      ["buffered messages", messages],
      [`messages ${verb}staged${most}`, counts.staged],
      ["messages staged or answered before", counts.duplicates + before.length],
      ["messages left", left.length + junkOf("message_buffer")],
    ],
    {
      head: ["table", "row", "customer", "conversation", "why"],
      rows: [
        ...left.map(({ row, waId, conversationId = "", why }) => [
          "message_buffer",
          String(row),
          waId,
          conversationId,
          why,
        ]),
        ...junk.map(({ table, row, why, waId = "" }) => [table, String(row), waId, "", why]),
      ],
    },
  );
  const lines = [...lacks.map((each) => `The file: ${each}.`), words];
  if (notes.length > 0) lines.push("", ...notes.map((note) => wrapped(note, 2, call.io.columns)));
  lines.push("", isApplied ? DONE : "Nothing was changed. To do it, once the bot is stopped: --apply");
  printResult(
    call,
    { dryRun: !isApplied, lacks, notes, read, ...counts, before: before.length, left, junk },
    lines.join("\n"),
  );
  // What could not be read was not moved: a script must not go on with the cut-over.
  const isBlind = lacks.some((each) => each.includes("message_buffer") && messages === 0);
  return isApplied && (isBlind || left.length + junk.length > 0) ? 1 : 0;
}
