import { userInfo } from "node:os";
import { LullError } from "../../errors.ts";
import type { Lull } from "../../index.ts";
import type { DeadLetter } from "../../model/dead-letter.ts";
import type { Engine } from "../../ports/engine.ts";
import { STILL_PASSED_ON } from "../../runtime/passed-on.ts";
import { everyOne, idLike } from "../by-prefix.ts";
import { type Call, type Command, PAGE_OPTIONS, pageOf } from "../command.ts";
import { quietLog, withData } from "../data.ts";
import { letterLines, letterTitle } from "../output/dead-letter.ts";
import { printBlocks, printResult } from "../output/print.ts";
import { UsageError } from "../usage-error.ts";

export const list: Command = {
  about:
    "Messages that got no turn: out of attempts, after too long an outage, or what no try can mend. " +
    "Kept whole, with the reason.",
  options: PAGE_OPTIONS,
  run: (call) =>
    withData(call, async ({ engine }) => {
      const listing = await engine.inspector.dead(pageOf(call));
      const nowMs = call.io.nowMs();
      printBlocks(call, listing, {
        block: (letter) => [letterTitle(letter, nowMs), ...letterLines(letter)],
        none: "No dead letters.",
        hint: "Once the cause is put right: lull dead retry <id>, or --all",
      });
      return 0;
    }),
};

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
  usage: "<id>... --yes | --all --yes",
  about: "Drops dead letters for good. Their messages are never answered.",
  options: { ...ALL, yes: { type: "boolean", help: "yes, drop them" } },
  args: { required: [], more: true },
  run: (call) =>
    forEach(call, "discarded", async (lull, id) => {
      const letter = await (await lull.engine()).repairs.deadLetter(id);
      if (letter === undefined) return "not-found";
      if (call.options.yes !== true) throw unsure(call, letter);
      const result = await lull.discardDead(id);
      // The only trace of a customer who wrote, and of the person who decided that no answer comes.
      if (result === "discarded") quietLog(call)("warn", "dead.discarded", discarded(letter));
      return result;
    }),
};

/** The question shows the letter: an id does not say what would be lost. */
function unsure(call: Call, letter: DeadLetter): UsageError {
  const given = call.options.all === true ? "--all" : call.args.join(" ");
  const lines = [letterTitle(letter, call.io.nowMs()), ...letterLines(letter)].join("\n");
  return new UsageError(`this cannot be undone:\n${lines}\nTo go on: lull dead discard ${given} --yes`);
}

function discarded({ id, conversationId, messages, atMs }: DeadLetter) {
  const by = userInfo().username;
  return { deadLetter: id, conversation: conversationId, messages: messages.length, sinceAtMs: atMs, by };
}

function forEach(
  call: Call,
  done: string,
  act: (lull: Lull, id: string) => Promise<string>,
  /** Of all, those that are meant by `--all`. */
  isMeant: (letter: DeadLetter) => boolean = () => true,
): Promise<number> {
  if ((call.args.length === 0) === (call.options.all !== true))
    throw new UsageError("name dead letters by id, or give --all");
  return withData(call, async ({ lull, engine }) => {
    const all = call.options.all === true ? await everyOne((page) => engine.inspector.dead(page)) : [];
    const named = () => Promise.all(call.args.map((given) => letterLike(engine, given)));
    const ids = call.options.all === true ? all.filter(isMeant).map(({ id }) => id) : await named();
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

async function letterLike({ repairs, inspector }: Engine, given: string): Promise<string> {
  return (await repairs.deadLetter(given)) ? given : idLike(given, (page) => inspector.dead(page));
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
