import type { Lull } from "../../index.ts";
import type { Engine } from "../../ports/engine.ts";
import type { QuarantinedRow } from "../../ports/inspector.ts";
import type { Discarded } from "../../ports/repairs.ts";
import { everyOne, idLike } from "../by-prefix.ts";
import { type Call, type Command, PAGE_OPTIONS, pageOf } from "../command.ts";
import { withData } from "../data.ts";
import { counted } from "../output/counted.ts";
import { printBlocks, printResult } from "../output/print.ts";
import { asideLines, MOVED_BY, shortId, sinceShown, whatItIs } from "../output/set-aside.ts";
import { Unconfirmed, UsageError } from "../usage-error.ts";

export const list: Command = {
  about: `Rows of the store that were not ours, or that a disk spoilt: set aside whole, with the reason. They
stop no conversation. --json shows the rows themselves.`,
  options: PAGE_OPTIONS,
  run: (call) =>
    withData(call, async ({ engine }) => {
      const nowMs = call.io.nowMs();
      printBlocks(call, await engine.inspector.quarantined(pageOf(call)), {
        block: (row) => blockOf(row, nowMs),
        none: "Nothing was set aside.",
        hint: HINT,
      });
      return 0;
    }),
};

const HINT = "Once you have seen to it: lull quarantine discard <id>, or --all";

function blockOf(row: QuarantinedRow, nowMs: number): string[] {
  const { id, table, conversationId, movable } = row;
  const where = conversationId === undefined ? "" : `, conversation ${conversationId}`;
  return [
    shortId(id),
    `  ${sinceShown(row, nowMs)}, in ${table}${where}`,
    `  ${whatItIs(row)}`,
    ...(movable ? [`  ${MOVED_BY}; then discard ${DROPPED_BY}`] : []),
  ];
}

/** Which of the two, only the move itself can tell: it looks at the conversation's row as well. */
const DROPPED_BY = "--seed-rows drops it for good";

export const discard: Command = {
  usage: "<id>... [--seed-rows] | --all [--seed-rows] --yes",
  about: `Drops rows for good that you have seen to. A customer's message that another system staged is not
dropped unless you say so: \`lull migrate seed-aws\` moves it, and it gets its turn, or lists why it stays.`,
  options: {
    all: { type: "boolean", help: "all of them" },
    "seed-rows": {
      type: "boolean",
      help: "also messages of another system, which lull migrate seed-aws did not move",
    },
    yes: { type: "boolean", help: "with --all: yes, drop them" },
  },
  args: { required: [], more: true },
  run: (call) => {
    const isAll = call.options.all === true;
    if ((call.args.length === 0) === !isAll)
      throw new UsageError("name rows by id, or give --all: lull quarantine lists them");
    return withData(call, ({ lull, engine }) => (isAll ? discardAll : discardNamed)(call, lull, engine));
  },
};

async function discardNamed(call: Call, lull: Lull, { inspector }: Engine): Promise<number> {
  const results: Result[] = [];
  for (const given of call.args) {
    const [asGiven] = await discardEach(call, lull, [given]);
    // A whole id is no reason to read the list.
    const isFound = asGiven!.result !== "not-found";
    const id = isFound ? given : await idLike(given, (page) => inspector.quarantined(page));
    results.push(...(id === given ? [asGiven!] : await discardEach(call, lull, [id])));
  }
  const left = results.filter(({ result }) => result !== "discarded");
  const sentences = [
    `${results.length - left.length} discarded`,
    ...left.map(({ id, result }) =>
      result === "movable"
        ? `${shortId(id)} is a message that another system staged: ${MOVED_BY}; ${DROPPED_BY}`
        : `there is no row ${shortId(id)} in quarantine`,
    ),
  ];
  printResult(call, { results }, sentences.join("\n"));
  return left.length === 0 ? 0 : 1;
}

async function discardAll(call: Call, lull: Lull, { inspector }: Engine): Promise<number> {
  const rows = await everyOne((page) => inspector.quarantined(page));
  const isMeant = ({ movable }: QuarantinedRow) => call.options["seed-rows"] === true || !movable;
  const meant = rows.filter(isMeant);
  const kept = rows.length - meant.length;
  if (meant.length > 0 && call.options.yes !== true) throw unsure(call, meant);
  const ids = meant.map(({ id }) => id);
  const results = await discardEach(call, lull, ids);
  const done = results.filter(({ result }) => result === "discarded").length;
  const why = `${counted(kept, "message")} of another system ${kept === 1 ? "is" : "are"} kept`;
  const sentences = [`${done} discarded`, ...(kept === 0 ? [] : [`${why}: ${MOVED_BY}; ${DROPPED_BY}`])];
  printResult(call, { results, kept }, sentences.join("\n"));
  return 0;
}

interface Result {
  readonly id: string;
  readonly result: Discarded;
}

async function discardEach(call: Call, lull: Lull, ids: readonly string[]): Promise<Result[]> {
  const how = { evenMovable: call.options["seed-rows"] === true };
  const results: Result[] = [];
  for (const id of ids) results.push({ id, result: await lull.discardQuarantined(id, how) });
  return results;
}

const SHOWN_MAX = 5;

/** The question shows what would be lost: a number does not say that customers wrote it. */
function unsure(call: Call, rows: readonly QuarantinedRow[]): Unconfirmed {
  const nowMs = call.io.nowMs();
  const shown = rows.slice(0, SHOWN_MAX).flatMap((row) => asideLines(row, nowMs));
  const more = rows.length > SHOWN_MAX ? [`... and ${rows.length - SHOWN_MAX} more: lull quarantine`] : [];
  const messages = rows.filter(({ movable }) => movable).length;
  const lost = messages === 0 ? "" : `, of them ${counted(messages, "message")} that nobody answers then`;
  const flags = `--all${call.options["seed-rows"] === true ? " --seed-rows" : ""} --yes`;
  const what = [`${counted(rows.length, "row")}${lost}`, ...shown, ...more].join("\n");
  return new Unconfirmed(what, `lull quarantine discard ${flags}`);
}
