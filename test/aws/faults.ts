import type { Random } from "../../src/testing/simulator/random.ts";
import type { AwsRequest, Fate, Refusal } from "./proxy.ts";

export const THROTTLED: Refusal = { error: "ProvisionedThroughputExceededException" };

/**
 * Another transaction touched the same item: a transaction is cancelled for it, a single write gets an error.
 */
export function conflict({ name, input }: AwsRequest): Refusal {
  if (name !== "TransactWriteItems") return { error: "TransactionConflictException" };
  const { length } = input.TransactItems as unknown[];
  const reasons = Array.from({ length }, (_, at) =>
    at === length - 1 ? { Code: "TransactionConflict", Message: "made for a test" } : { Code: "None" },
  );
  return { error: "TransactionCanceledException", more: { CancellationReasons: reasons } };
}

/** What `Faults` counts. */
export const FAULTS = [
  "reset",
  "lose-answer",
  "answer-500",
  "twice",
  "unprocessed",
  "delay",
  "InternalServerError",
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestThrottled",
  "TransactionConflictException",
  "TransactionCanceledException",
] as const;

/**
 * More would be an outage: what is tried in vain is told, and a trigger goes to the queue's dead letters at
 * its sixth receipt.
 */
const IN_A_ROW_MAX = 3;
const DELAY_MS_MAX = 15;

type Draw = (request: AwsRequest, random: Random) => Fate;

const ANY: readonly Draw[] = [
  () => "reset",
  () => ({ error: "InternalServerError", status: 500 }),
  () => ({ error: "ThrottlingException" }),
  (_, random) => ({ delayMs: random.below(DELAY_MS_MAX) }),
];
const LOST: readonly Draw[] = [() => "lose-answer", () => "answer-500"];
const WRITE: readonly Draw[] = [...ANY, ...LOST, () => THROTTLED, conflict];

const WRITES = new Set(["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "SendMessage"]);

const MEETS: Readonly<Record<string, readonly Draw[]>> = {
  PutItem: WRITE,
  UpdateItem: WRITE,
  DeleteItem: WRITE,
  TransactWriteItems: WRITE,
  BatchGetItem: [...ANY, () => THROTTLED, () => "unprocessed"],
  BatchWriteItem: [...ANY, ...LOST, () => "unprocessed"],
  SendMessage: [...ANY, ...LOST, () => "twice", () => ({ error: "RequestThrottled" })],
  ReceiveMessage: [...ANY, ...LOST],
  DeleteMessageBatch: [...ANY, ...LOST],
};

/** Loses the first answer to every write: each is made again, and meets its own success. */
export function losesEveryAnswer(): (request: AwsRequest) => Fate {
  const heard = new Set<string>();
  return ({ name, input }) => {
    const request = `${name} ${JSON.stringify(input)}`;
    const isFirst = !heard.has(request);
    heard.add(request);
    return isFirst && WRITES.has(name) ? "lose-answer" : "pass";
  };
}

/**
 * Everything that a request to AWS may meet, drawn by lot from a seed, and a count of what was met. Each name
 * has its own pack, dealt to its end before it is shuffled again: requests come in an order that no seed
 * decides, and a run that is long enough for every fault must not miss one by bad luck.
 */
export class Faults {
  readonly #random: Random;
  readonly #share: number;
  readonly #packs = new Map<string, Draw[]>();
  #inARow = 0;
  readonly met: Record<string, number> = {};

  /** `share` of all requests meet something. */
  constructor(random: Random, share = 0.3) {
    this.#random = random;
    this.#share = share;
  }

  readonly draw = (request: AwsRequest): Fate => {
    const isMet = this.#random.chance(this.#share) && this.#inARow < IN_A_ROW_MAX;
    this.#inARow = isMet ? this.#inARow + 1 : 0;
    if (!isMet) return "pass";
    const fate = this.#deal(request.name)(request, this.#random);
    const kind = typeof fate === "string" ? fate : "error" in fate ? fate.error : "delay";
    this.met[kind] = (this.met[kind] ?? 0) + 1;
    return fate;
  };

  #deal(name: string): Draw {
    const pack = this.#packs.get(name) ?? [];
    this.#packs.set(name, pack);
    if (pack.length === 0) pack.push(...(MEETS[name] ?? ANY));
    return pack.splice(this.#random.below(pack.length), 1)[0]!;
  }
}
