import { LullError } from "../../errors.ts";
import type { Lull } from "../../index.ts";
import type { DeadLetter } from "../../model/dead-letter.ts";
import type { Engine } from "../../ports/engine.ts";
import { STILL_PASSED_ON } from "../../runtime/passed-on.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { everyOne, idLike } from "../by-prefix.ts";
import { type Call, type Command, countOption, PAGE_OPTIONS, pageOf } from "../command.ts";
import { quietLog, withData } from "../data.ts";
import { operatingUser } from "../operating-user.ts";
import { letterLines, letterTitle } from "../output/dead-letter.ts";
import { printBlocks, printResult } from "../output/print.ts";
import { progress } from "../output/progress.ts";
import { oneLine } from "../output/table.ts";
import { type Paced, retryPaced } from "../paced-retry.ts";
import { Unconfirmed, UsageError } from "../usage-error.ts";

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

/** Of the newest letters one look shows: more than are retried in a second. */
const PER_SECOND_MAX = 100;
const REASON_MAX = 80;
const PACE = {
  "per-second": {
    type: "string",
    value: "N",
    help: `with --all: so many a second, ${PER_SECOND_MAX} at most (10)`,
  },
} as const;

export const retry: Command = {
  usage: "<id>... | --all",
  about:
    "Stages the messages again: a new turn answers them, with attempts counted from one. " +
    "A letter whose customer's number is another person's by now stays as it is. " +
    "With --all the oldest come first, so many a second, and the rest is left " +
    "where most become dead letters again.",
  options: { ...ALL, ...ALSO_SENT, ...PACE },
  args: { required: [], more: true },
  run: (call) => {
    const isMeant = (letter: DeadLetter) => call.options["also-sent"] === true || letter.replySent === "none";
    const perSecond = Math.min(countOption(call, "per-second", 10), PER_SECOND_MAX);
    return forEach(call, { done: "retried", isMeant, perSecond }, (lull, id) => lull.retryDead(id));
  },
};

export const discard: Command = {
  usage: "<id>... --yes | --all --yes",
  about: "Drops dead letters for good. Their messages are never answered.",
  options: { ...ALL, yes: { type: "boolean", help: "yes, drop them" } },
  args: { required: [], more: true },
  run: (call) =>
    forEach(call, { done: "discarded", isMeant: () => true }, async (lull, id) => {
      const letter = await (await lull.engine()).repairs.deadLetter(id);
      if (letter === undefined) return "not-found";
      if (call.options.yes !== true) throw unsure(call, letter);
      const told = discarded(letter);
      const result = await lull.discardDead(id);
      // The only trace of a customer who wrote, and of the person who decided that no answer comes.
      if (result === "discarded") quietLog(call)("warn", "dead.discarded", told);
      return result;
    }),
};

/** The question shows the letter: an id does not say what would be lost. */
function unsure(call: Call, letter: DeadLetter): Unconfirmed {
  const given = call.options.all === true ? "--all" : call.args.join(" ");
  const lines = [letterTitle(letter, call.io.nowMs()), ...letterLines(letter)].join("\n");
  return new Unconfirmed(`\n${lines}`, `lull dead discard ${given} --yes`);
}

function discarded({ id, conversationId, messages, atMs }: DeadLetter) {
  const by = operatingUser();
  return { deadLetter: id, conversation: conversationId, messages: messages.length, sinceAtMs: atMs, by };
}

interface How {
  /** What the result calls it. */
  readonly done: string;
  /** Of all, those that are meant by `--all`. */
  readonly isMeant: (letter: DeadLetter) => boolean;
  /** Of all, so many a second. */
  readonly perSecond?: number;
}

function forEach(
  call: Call,
  { done, isMeant, perSecond = Number.POSITIVE_INFINITY }: How,
  act: (lull: Lull, id: string) => Promise<string>,
): Promise<number> {
  const isAll = call.options.all === true;
  if ((call.args.length === 0) !== isAll) throw new UsageError("name dead letters by id, or give --all");
  return withData(call, async ({ lull, engine }) => {
    const all = isAll ? await everyOne((page) => engine.inspector.dead(page)) : [];
    const meant = all.filter(isMeant);
    const skipped = all.filter((letter) => !isMeant(letter)).map(({ id }) => id);
    const named = await Promise.all(
      call.args.map(async (given) => ({ id: await letterLike(engine, given) })),
    );
    const actOn = async ({ id }: { readonly id: string }) => ({
      id,
      result: await act(lull, id).catch(passedOn),
    });
    const { results, deadAgain = [] } = isAll
      ? await paced(call, engine, perSecond, meant, actOn)
      : { results: await oneByOne(named, actOn) };
    const endingWith = (word: string) => results.filter(({ result }) => result === word);
    const [missed, unreached] = [endingWith("not-found"), endingWith("passed-on")];
    const left = isAll ? meant.length - results.length : 0;
    const sentence = [
      `${results.length - missed.length - unreached.length} ${done}`,
      ...missed.map(({ id }) => `there is no dead letter ${id}`),
      ...unreached.map(({ id }) => `${id} is not retried: ${STILL_PASSED_ON}`),
      ...(skipped.length === 0 ? [] : [whySkipped(skipped)]),
      ...(left === 0 ? [] : [whyLeft(deadAgain, left)]),
    ];
    printResult(call, { results, skipped, ...(left > 0 && { left }) }, sentence.join("\n"));
    // Of all of them, those that nothing can be done about here are skipped, as those that were not meant.
    return missed.length === 0 && left === 0 && (unreached.length === 0 || isAll) ? 0 : 1;
  });
}

async function oneByOne<T, R>(all: readonly T[], act: (each: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const each of all) results.push(await act(each));
  return results;
}

async function paced<R>(
  { io }: Call,
  { inspector }: Engine,
  perSecond: number,
  letters: readonly DeadLetter[],
  act: (letter: DeadLetter) => Promise<R>,
): Promise<Paced<R>> {
  const shown = progress(io);
  const onStep = (done: number) => shown.step(done, letters.length, "dead letter");
  const newest = async () => (await inspector.dead({ limit: 2 * PER_SECOND_MAX })).items;
  try {
    return await retryPaced(letters, act, { clock: systemClock, perSecond, newest, onStep });
  } finally {
    shown.end();
  }
}

function whyLeft(deadAgain: readonly DeadLetter[], left: number): string {
  const reasons = [...new Set(deadAgain.map(({ reason }) => oneLine(reason, REASON_MAX)))];
  return (
    `${left} left as they were: ${deadAgain.length} that were retried are dead letters again ` +
    `(${reasons.slice(0, 3).join("; ")}). Put the cause right, then run it again.`
  );
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
