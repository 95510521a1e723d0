import type { QuarantinedRow } from "../../ports/inspector.ts";
import type { Discarded } from "../../ports/repairs.ts";
import type { Command } from "../command.ts";
import { withData } from "../data.ts";
import { listCommand } from "../list-command.ts";
import { printResult } from "../output/print.ts";
import { relativeTime } from "../output/times.ts";

export const list = listCommand<QuarantinedRow>(
  `Rows of the store that were not ours, or that a disk spoilt: set aside whole, with the reason. They
stop no conversation. --json shows the rows themselves.`,
  (inspector, page) => inspector.quarantined(page),
  (nowMs) => ({
    head: ["id", "when", "table", "conversation", "why"],
    row: ({ id, atMs, table, conversationId = "-", why, movable }) => [
      id,
      relativeTime(atMs, nowMs),
      table,
      conversationId,
      movable ? `${why}: ${MOVED_BY}; then discard ${DROPPED_BY}` : why,
    ],
    none: "Nothing was set aside.",
  }),
);

/** Which of the two, only the move itself can tell: it looks at the conversation's row as well. */
const MOVED_BY = "lull migrate seed-aws moves it, or lists why it stays";
const DROPPED_BY = "--seed-rows drops it for good";

export const discard: Command = {
  usage: "<id>... [--seed-rows]",
  about: `Drops rows for good that you have seen to. A customer's message that another system staged is not
dropped unless you say so: \`lull migrate seed-aws\` moves it, and it gets its turn, or lists why it stays.`,
  options: {
    "seed-rows": {
      type: "boolean",
      help: "also messages of another system, which lull migrate seed-aws did not move",
    },
  },
  args: { required: ["<id>"], more: true },
  run: (call) =>
    withData(call, async ({ lull }) => {
      const how = { evenMovable: call.options["seed-rows"] === true };
      const results: { id: string; result: Discarded }[] = [];
      for (const id of call.args) results.push({ id, result: await lull.discardQuarantined(id, how) });
      const left = results.filter(({ result }) => result !== "discarded");
      const sentences = [
        `${results.length - left.length} discarded`,
        ...left.map(({ id, result }) =>
          result === "movable" ? keptInWords(id) : `there is no row ${id} in quarantine`,
        ),
      ];
      printResult(call, { results }, sentences.join("\n"));
      return left.length === 0 ? 0 : 1;
    }),
};

function keptInWords(id: string): string {
  return `${id} is a message that another system staged: ${MOVED_BY}; ${DROPPED_BY}`;
}
