import type { Command } from "../command.ts";
import { requireDatabase, silent } from "../data.ts";
import { printResult } from "../output/print.ts";
import { CommandFailed } from "../usage-error.ts";

export const compact: Command = {
  about:
    "Writes the database anew: no byte stays of what was erased or went by its age, " +
    "and the disk gets back what is free. " +
    "It takes about 7 seconds a gigabyte, in which the service cannot write: " +
    "webhooks wait, or are asked to come back.",
  options: {},
  run: async (call) => {
    const loaded = await call.load("look");
    const { engine } = loaded.config(silent);
    if (engine.compact === undefined)
      throw new CommandFailed(`the ${engine.name} engine has no file to write anew`);
    await requireDatabase(loaded.server.db);
    const { bytesBefore, bytes, isClean } = await engine.compact();
    if (!isClean)
      throw new CommandFailed(
        "the database was written anew, but another process reads its log (a backup?), " +
          "which may hold what was erased: the service empties it with a later sweep, " +
          "and `lull doctor` tells until then",
      );
    printResult(call, { bytesBefore, bytes }, `The database has ${inMb(bytes)}; it had ${inMb(bytesBefore)}`);
    return 0;
  },
};

function inMb(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
