import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { isoOf } from "../../core/instant.ts";
import { toPublic } from "../../http/public-json.ts";
import type { KeptItem, PersonRequest } from "../../runtime/people.ts";
import { type Call, type Command, textOption } from "../command.ts";
import { withData } from "../data.ts";
import { counted } from "../output/counted.ts";
import { nameShown } from "../output/customer.ts";
import { nothingOf } from "../people/counts.ts";
import { looking, PERSON_OPTIONS, personIn, rightsWithin } from "../people/request.ts";
import { abortedBySignals } from "../serving/signals.ts";
import { CommandFailed } from "../usage-error.ts";

/** The name and version of the document: a field that is added leaves it as it is. */
const FORMAT = "lull-export/1";

export const exportPerson: Command = {
  usage: "--customer <address> [--out FILE]",
  about:
    "Writes all that is kept of a person as JSON: conversations with their attributes, messages, turns, " +
    "what waits, drafts, dead letters, unknown sends, refusals. The same rows that `lull erase` removes. " +
    "The file is its owner's alone.",
  options: {
    ...PERSON_OPTIONS,
    out: { type: "string", value: "FILE", help: "write to this file (the terminal, or a pipe)" },
    force: { type: "boolean", help: "overwrite the file if it is there" },
  },
  examples: ["lull export --customer +15550100 --out ana.json"],
  run: async (call) => {
    const person = personIn(call);
    return withData(call, async ({ lull }) => {
      const rights = await rightsWithin(call, lull);
      const { options, end } = looking(call);
      const target = await targetOf(call);
      const { signal } = { signal: abortedBySignals() };
      try {
        const rows = await write(
          target,
          person.customer,
          call.io.nowMs(),
          rights.exportPerson(person, options),
          signal,
        );
        await target.done();
        call.io.err(foundLines(person, rows).join(""));
        if (target.file !== undefined)
          call.io.err(`${counted(rows.count, "row")} of ${person.customer} written to ${target.file}\n`);
        return 0;
      } catch (error) {
        if (signal.aborted && error === signal.reason) return signal.reason as number;
        throw error;
      } finally {
        end();
        await target.dropped();
      }
    });
  },
};

interface Target {
  readonly file?: string;
  write(line: string): Promise<void>;
  /** It is whole: the file gets its name. */
  done(): Promise<void>;
  /** Half of it must not lie where no operator looks. */
  dropped(): Promise<void>;
}

async function targetOf(call: Call): Promise<Target> {
  const out = textOption(call, "out");
  if (out === undefined) {
    const nothing = async () => {};
    return { write: async (line) => call.io.out(line), done: nothing, dropped: nothing };
  }
  const file = resolve(call.io.cwd, out);
  const part = `${file}.part-${process.pid}`;
  if (call.options.force !== true && (await isThere(file)))
    throw new CommandFailed(`${file} is there already; choose another name or give --force`);
  // For its owner alone, whatever the umask; and never one that another user has put there.
  const handle: FileHandle = await open(part, "wx", 0o600);
  await handle.chmod(0o600);
  return {
    file,
    write: async (line) => void (await handle.write(`${line}\n`)),
    async done() {
      await handle.sync();
      await handle.close();
      await rename(part, file);
    },
    async dropped() {
      await handle.close().catch(() => {});
      await rm(part, { force: true });
    },
  };
}

async function isThere(file: string): Promise<boolean> {
  return open(file, "r").then(
    (handle) => handle.close().then(() => true),
    (error: NodeJS.ErrnoException) => error.code !== "ENOENT",
  );
}

/** A row a line, as it is read: a person's rows need not fit into memory. */
async function write(
  target: Target,
  customer: string,
  nowMs: number,
  items: AsyncIterable<KeptItem>,
  signal: AbortSignal,
): Promise<Written> {
  const head = { format: FORMAT, customer, exported_at: isoOf(nowMs) };
  await target.write(`${JSON.stringify(head, null, 2).slice(0, -2)},\n  "items": [`);
  let count = 0;
  const places = new Map<string, string>();
  let before: string | undefined;
  for await (const item of items) {
    signal.throwIfAborted();
    if (before !== undefined) await target.write(`    ${before},`);
    before = JSON.stringify(toPublic(item));
    count += 1;
    const { channelType, address } = item;
    if (channelType !== undefined) places.set(`${nameShown(address ?? "")} (${channelType})`, channelType);
  }
  if (before !== undefined) await target.write(`    ${before}`);
  await target.write("  ]\n}");
  return { count, places };
}

/** Rows, and the places that they are of, each with its type of channel. */
interface Written {
  readonly count: number;
  readonly places: ReadonlyMap<string, string>;
}

/** The same name at two types of channels may be two people's. */
function foundLines({ customer, channel }: PersonRequest, { places, count }: Written): string[] {
  if (count === 0) return [`${nothingOf(customer)}\n`];
  if (new Set(places.values()).size < 2 || channel !== undefined) return [];
  return [
    `${nameShown(customer)} was found over several types of channels, and all of it is in the export:\n`,
    ...[...places.keys()].map((place) => `  at ${place}\n`),
    "If these are not one person, narrow it: --channel <name>\n",
  ];
}
