import { LullError } from "../../errors.ts";
import type { DeadLetter } from "../../model/dead-letter.ts";
import type { StagedOutbound } from "../../model/outbound.ts";
import type { Operating } from "../../runtime/operating.ts";
import { STILL_PASSED_ON } from "../../runtime/passed-on.ts";
import type { Call, Command } from "../command.ts";
import { withData } from "../data.ts";
import { listCommand } from "../list-command.ts";
import { printResult } from "../output/print.ts";
import { oneLine } from "../output/table.ts";
import { relativeTime } from "../output/times.ts";
import { UsageError } from "../usage-error.ts";

/** How many dead letters `--all` reads at a time. */
const PAGE = 200;
const SAID_MAX = 60;

export const list = listCommand(
  "Messages that got no turn: out of attempts, after too long an outage, or what no try can mend. " +
    "Kept whole, with the reason.",
  (inspector, page) => inspector.dead(page),
  (nowMs, letters) => {
    // What a person or a program says is no message: without its text such a letter would seem empty.
    const isSaying = letters.some(({ outbounds }) => outbounds.length > 0);
    const said = isSaying ? ["was to be said"] : [];
    return {
      head: ["id", "when", "conversation", "messages", "attempts", "reply sent", ...said, "reason"],
      row: (dead) => [
        dead.id,
        relativeTime(dead.atMs, nowMs),
        dead.conversationId,
        String(dead.messages.length),
        String(dead.attempts),
        dead.replySent,
        ...said.map(() => oneLine(dead.outbounds.map(saying).join(" / "), SAID_MAX)),
        oneLine(dead.reason, 100),
      ],
      none: "No dead letters.",
    };
  },
);

function saying({ author, texts, media = [] }: StagedOutbound): string {
  const what = [...texts, ...media.map(({ contentType }) => `(${contentType})`)];
  return `${author}: ${what.join(" ")}`;
}

const ALL = { all: { type: "boolean", help: "all of them" } } as const;
const ALSO_SENT = {
  "also-sent": {
    type: "boolean",
    help:
      "with --all: those, too, of whose reply something went out, or may have; " +
      "their customers get it again",
  },
} as const;

export const retry: Command = {
  usage: "<id>... | --all",
  about:
    "Stages the messages again: a new turn answers them, with attempts counted from one. " +
    "A letter whose customer's number is another person's by now stays as it is.",
  options: { ...ALL, ...ALSO_SENT },
  args: { required: [], more: true },
  run: (call) => {
    const isMeant = (letter: DeadLetter) => call.options["also-sent"] === true || letter.replySent === "none";
    return forEach(call, "retried", (lull, id) => lull.retryDead(id), isMeant);
  },
};

export const discard: Command = {
  usage: "<id>... | --all",
  about: "Drops dead letters for good. Their messages are never answered.",
  options: ALL,
  args: { required: [], more: true },
  run: (call) => forEach(call, "discarded", (lull, id) => lull.discardDead(id)),
};

function forEach(
  call: Call,
  done: string,
  act: (lull: Operating, id: string) => Promise<string>,
  /** Of all, those that are meant by `--all`. */
  isMeant: (letter: DeadLetter) => boolean = () => true,
): Promise<number> {
  if ((call.args.length === 0) === (call.options.all !== true))
    throw new UsageError("name dead letters by id, or give --all");
  return withData(call, async ({ lull, engine }) => {
    const all = call.options.all === true ? await everyOne(engine.inspector.dead) : [];
    const ids = call.options.all === true ? all.filter(isMeant).map(({ id }) => id) : call.args;
    const skipped = all.filter((letter) => !isMeant(letter)).map(({ id }) => id);
    const results: { id: string; result: string }[] = [];
    for (const id of ids) results.push({ id, result: await act(lull, id).catch(passedOn) });
    const endingWith = (word: string) => results.filter(({ result }) => result === word);
    const [missed, unreached] = [endingWith("not-found"), endingWith("passed-on")];
    const sentence = [
      `${results.length - missed.length - unreached.length} ${done}`,
      ...missed.map(({ id }) => `there is no dead letter ${id}`),
      ...unreached.map(({ id }) => `${id} is not retried: ${STILL_PASSED_ON}`),
      ...(skipped.length === 0 ? [] : [whySkipped(skipped)]),
    ];
    printResult(call, { results, skipped }, sentence.join("\n"));
    // Of all of them, those that nothing can be done about here are skipped, as those that were not meant.
    return missed.length === 0 && (unreached.length === 0 || call.options.all === true) ? 0 : 1;
  });
}

/** Of many, one that reaches no customer stops no other. */
function passedOn(error: unknown): string {
  if (error instanceof LullError && error.code === "NUMBER_PASSED_ON") return "passed-on";
  throw error;
}

function whySkipped(ids: readonly string[]): string {
  return (
    `${ids.length} skipped: something of their reply went out, or may have, and would be said again. ` +
    `Name them, or give --also-sent: ${ids.join(" ")}`
  );
}

/**
 * Read to the end before the first is touched: a list that changes while it is paged through skips entries.
 */
async function everyOne(
  read: (page: {
    limit: number;
    cursor?: string;
  }) => Promise<{ items: readonly DeadLetter[]; next?: string }>,
) {
  const letters: DeadLetter[] = [];
  let cursor: string | undefined;
  do {
    const page = await read({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    letters.push(...page.items);
    cursor = page.next;
  } while (cursor !== undefined);
  return letters;
}
