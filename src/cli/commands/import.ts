import { resolve } from "node:path";
import { sqlite } from "../../engines/sqlite/index.ts";
import type { Lull } from "../../index.ts";
import type { Engine } from "../../ports/engine.ts";
import { keptOf } from "../../runtime/kept-conversation.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import type { Command } from "../command.ts";
import { requireDatabase, silent, withData } from "../data.ts";
import { counted } from "../output/counted.ts";
import { printResult } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { CommandFailed } from "../usage-error.ts";

/** Conversations read at a time, and taken in side by side. */
const PAGE = 20;

export const importFile: Command = {
  usage: "<file> [options]",
  about: `Takes the conversations of a SQLite database into the engine in force, for example when moving to
AWS: records, what was said, turns, and which messages were answered. The service on the file may go
on meanwhile. Run it again for what is new since. What still waits, dead letters and unknown sends
stay in the file: deal with them there.`,
  options: {},
  args: { required: ["<file>"] },
  examples: ["LULL_ENGINE=aws lull import data/lull.db"],
  run: async (call) => {
    const file = resolve(call.io.cwd, call.args[0] as string);
    await requireDatabase(file);
    return withData(call, async ({ engine, lull, loaded }) => {
      const importConversation = importerOf(engine, loaded.config(silent).engine.name);
      const source = await openFile(file, lull);
      const shown = progress(call.io);
      try {
        const { conversations: total } = await source.inspector.counts();
        const done = await takeIn(source, importConversation, (count) =>
          shown.step(count, total, "conversation"),
        );
        shown.end();
        printResult(
          call,
          { conversations: done },
          `${counted(done, "conversation")} of ${file} ${done === 1 ? "is" : "are"} here now.`,
        );
        return 0;
      } finally {
        await source.close();
      }
    });
  },
};

type ImportConversation = NonNullable<Engine["importConversation"]>;

function importerOf(engine: Engine, name: string): ImportConversation {
  if (engine.importConversation) return engine.importConversation;
  throw new CommandFailed(
    `the ${name.split(" ")[0]} engine takes nothing in: ` +
      "copy the file instead (lull backup), or choose another engine (--engine aws)",
  );
}

function openFile(file: string, { settings, workerId }: Lull): Promise<Engine> {
  return sqlite({ file }).open({
    clock: systemClock,
    settings,
    holder: workerId,
    log: silent,
    onArmed: silent,
  });
}

async function takeIn(
  source: Engine,
  importConversation: ImportConversation,
  onProgress: (count: number) => void,
): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await source.inspector.conversations({
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
    });
    await Promise.all(page.items.map(async (each) => importConversation(await keptOf(source, each))));
    count += page.items.length;
    onProgress(count);
    cursor = page.next;
  } while (cursor !== undefined);
  return count;
}
