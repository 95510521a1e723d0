import { access } from "node:fs/promises";
import { resolve } from "node:path";
import { MEMORY_MARGIN_MS } from "../../../core/defaults.ts";
import { customersIn, type SeedCustomers } from "../../../migrate/seed-wati/customers.ts";
import { readSeedFile } from "../../../migrate/seed-wati/file.ts";
import { moveCustomers, type WatiMoved } from "../../../migrate/seed-wati/move.ts";
import type { Engine } from "../../../ports/engine.ts";
import type { Call, Command } from "../../command.ts";
import { type Opened, withService } from "../../data.ts";
import { printResult } from "../../output/print.ts";
import { progress } from "../../output/progress.ts";
import { CommandFailed } from "../../usage-error.ts";
import { channelFor, inWords, isApplied, MIGRATION_OPTIONS, ownChannels } from "./migration.ts";

export const seedWati: Command = {
  usage: "<thread_store.db> [--apply] [options]",
  about: `Moves in from a WATI bot that keeps its threads and its buffer in SQLite: each customer gets a
conversation with the ids of their OpenAI thread, and what is buffered gets its turn, once. Without --apply it
only shows what it would do. The file is only read. Stop the bot first: what it takes out of its buffer while
this runs would be answered twice. It may be killed and run again at any time. Locks are shown and not
needed: they end with the bot. Exit code 1: something was left, and is listed.`,
  options: {
    ...MIGRATION_OPTIONS,
    "beyond-memory": {
      type: "boolean",
      help: "also what may have been answered before ids were remembered (limits.dedupeHours)",
    },
  },
  args: { required: ["<thread_store.db>"] },
  examples: [
    "lull migrate seed-wati app/thread_store.db",
    "lull migrate seed-wati app/thread_store.db --apply",
  ],
  run: async (call) => {
    const isReal = isApplied(call);
    const file = resolve(call.io.cwd, call.args[0] as string);
    await access(file).catch(() => {
      throw new CommandFailed(`there is no file ${file}`);
    });
    return withService(call, async (service) => {
      const { rows, lacks } = readSeedFile(file);
      const found = customersIn(rows);
      const engine = isReal || (await isThere(service)) ? await service.lull.engine() : undefined;
      const moved = await move(call, service, { engine, isReal, found });
      return report(call, { isReal, lacks, found, moved });
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

interface Moving {
  readonly engine: Engine | undefined;
  readonly isReal: boolean;
  readonly found: SeedCustomers;
}

async function move(
  call: Call,
  { lull, loaded }: Pick<Opened, "lull" | "loaded">,
  { engine, isReal, found }: Moving,
): Promise<WatiMoved> {
  const channel = channelFor(call, ownChannels(loaded), ({ kind }) => kind.startsWith("wati"), "WATI's");
  const shown = progress(call.io);
  const { settings, channels, clock } = lull;
  const knownSinceMs = engine ? (await engine.receiving.knownSinceMs()) + MEMORY_MARGIN_MS : 0;
  const total = found.customers.length;
  const moved = await moveCustomers(
    {
      engine,
      settings,
      channels,
      channel,
      clock,
      knownSinceMs,
      isApplied: isReal,
      beyondMemory: call.options["beyond-memory"] === true,
      onProgress: (customers) => shown.update(`${customers} of ${total} customers`),
    },
    found.customers,
  );
  shown.end();
  return moved;
}

interface Reported {
  readonly isReal: boolean;
  readonly lacks: readonly string[];
  readonly found: SeedCustomers;
  readonly moved: WatiMoved;
}

function report(call: Call, { isReal, lacks, found, moved }: Reported): number {
  const { left, ...counts } = moved;
  const { junk, locks, threads, messages, customers } = found;
  const read = { customers: customers.length, threads, messages, locks: locks.length };
  const verb = isReal ? "" : "would be ";
  const words = inWords(
    [
      ["threads in the file", threads],
      ["buffered messages", messages],
      ["processing locks (not needed)", locks.length],
      [`conversations ${verb}created`, counts.created],
      ["conversations that were there", counts.known],
      [`messages ${verb}staged`, counts.staged],
      ["messages staged or answered before", counts.duplicates + counts.before],
      ["messages left", left.length],
      ["rows that cannot be read", junk.length],
    ],
    {
      head: ["customer or table", "conversation or row", "why"],
      rows: [
        ...left.map(({ waId, conversationId = "", why }) => [waId, conversationId, why]),
        ...junk.map(({ table, row, why }) => [table, String(row), why]),
      ],
    },
  );
  const lines = [...lacks.map((each) => `The file: ${each}.`), words];
  if (!isReal) lines.push("", "Nothing was changed. To do it: --apply");
  printResult(call, { dryRun: !isReal, lacks, read, ...counts, left, junk }, lines.join("\n"));
  // What could not be read was not moved: a script must not go on with the cut-over.
  const isBlind = lacks.some((each) => each.includes("message_buffer") && messages === 0);
  return isReal && (isBlind || left.length + junk.length > 0) ? 1 : 0;
}
