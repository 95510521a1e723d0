import type { QuarantinedRow } from "../../ports/inspector.ts";
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
    row: ({ id, atMs, table, conversationId = "-", why }) => [
      id,
      relativeTime(atMs, nowMs),
      table,
      conversationId,
      why,
    ],
    none: "Nothing was set aside.",
  }),
);

export const discard: Command = {
  usage: "<id>...",
  about: "Drops rows for good that you have seen to.",
  options: {},
  args: { required: ["<id>"], more: true },
  run: (call) =>
    withData(call, async ({ lull }) => {
      const results: { id: string; result: string }[] = [];
      for (const id of call.args) results.push({ id, result: await lull.discardQuarantined(id) });
      const missed = results.filter(({ result }) => result === "not-found");
      const sentences = [
        `${results.length - missed.length} discarded`,
        ...missed.map(({ id }) => `there is no row ${id} in quarantine`),
      ];
      printResult(call, { results }, sentences.join("\n"));
      return missed.length === 0 ? 0 : 1;
    }),
};
