import type { QuarantinedRow } from "../../ports/inspector.ts";
import { type Command, PAGE_OPTIONS, pageOf } from "../command.ts";
import { withData } from "../data.ts";
import { printListing, printResult } from "../output/print.ts";
import { relativeTime } from "../output/times.ts";

export const list: Command = {
  about: `Rows of the store that were not ours, or that a disk spoilt: set aside whole, with the reason. They
stop no conversation. --json shows the rows themselves.`,
  options: PAGE_OPTIONS,
  run: (call) =>
    withData(call, async ({ engine }) => {
      const nowMs = call.io.nowMs();
      const rows = await engine.inspector.quarantined(pageOf(call));
      printListing<QuarantinedRow>(call, rows, {
        head: ["id", "when", "table", "conversation", "why"],
        row: (each) => [
          each.id,
          relativeTime(each.atMs, nowMs),
          each.table,
          each.conversationId ?? "-",
          each.why,
        ],
        none: "Nothing was set aside.",
      });
      return 0;
    }),
};

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
