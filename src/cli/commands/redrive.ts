import type { Redriven } from "../../ports/engine.ts";
import type { Command } from "../command.ts";
import { withData } from "../data.ts";
import { printResult } from "../output/print.ts";
import { CommandFailed } from "../usage-error.ts";

export const redrive: Command = {
  about: `Puts the wake-ups that ended among the dead letters of the queues back into them, once what made them fail is mended. Their messages
are safe without it: the sweeper sends another one within a minute or two, and one too many only makes somebody look. Those that nobody can
read stay where they are. Messages that got no turn are another matter: see lull dead list.`,
  options: {},
  examples: ["LULL_ENGINE=aws lull dead redrive"],
  run: (call) =>
    withData(call, async ({ engine }) => {
      if (!engine.redrive)
        throw new CommandFailed(
          "only the aws engine has queues; messages that got no turn are in lull dead list",
        );
      const queues = await engine.redrive();
      printResult(call, { queues }, queues.map(sentence).join("\n"));
      return queues.some(({ left }) => left > 0) ? 1 : 0;
    }),
};

function sentence({ channel, moved, left, isWithout }: Redriven): string {
  if (isWithout) return `${channel}: its queue keeps no dead letters`;
  const stay = left === 0 ? "" : `, ${left} that nobody can read stay`;
  return `${channel}: ${moved} put back${stay}`;
}
