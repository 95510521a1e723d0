import type { Redriven } from "../../ports/engine.ts";
import type { Command } from "../command.ts";
import { withData } from "../data.ts";
import { printResult } from "../output/print.ts";
import { CommandFailed } from "../usage-error.ts";

export const redrive: Command = {
  about: `Puts the wake-ups among the dead letters of the queues back, once what made them fail is repaired.
Their messages are safe without it: the sweeper sends another one within a minute or two, and one
too many only makes a worker look. Unreadable ones stay where they are. For messages that got no
turn, see lull dead list.`,
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
  const stay = left === 0 ? "" : `, ${left} unreadable ones stay`;
  return `${channel}: ${moved} put back${stay}`;
}
