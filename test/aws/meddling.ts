import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Engine } from "../../src/ports/engine.ts";
import type { Emulators } from "./emulators.ts";
import type { AwsWorld } from "./world.ts";

export interface Request {
  /** `PutItem`, `SendMessage`, ... */
  readonly name: string;
  /** Counted over both services, from 1. */
  readonly n: number;
  readonly input: Record<string, unknown>;
}

/** What becomes of a request. After `die-...` nothing gets through any more: the process is gone. */
export type Fate = "pass" | "lose-answer" | "die-before" | "die-after" | Error;
export type Meddler = (request: Request) => Fate | Promise<Fate>;

export function sdkError(name: string, more: object = {}): Error {
  return Object.assign(new Error(`${name} (made for a test)`), { name, $metadata: {}, ...more });
}

/** The write took effect; nobody heard of it. */
const LOST_ANSWER = () => sdkError("TimeoutError");
const DEAD = () => sdkError("ProcessDied");

/** Between our code and the SDK's own retries, so that ours are tried; `inside` is below them, so that the SDK's are. */
export function meddle(
  clients: { readonly dynamodb: DynamoDBClient; readonly sqs: SQSClient },
  meddler: Meddler,
  where: "outside" | "inside" = "outside",
): void {
  let count = 0;
  let isDead = false;
  const through = async <T>(
    name: string,
    input: Record<string, unknown>,
    call: () => Promise<T>,
  ): Promise<T> => {
    if (isDead) throw DEAD();
    count += 1;
    const fate = await meddler({ name, n: count, input });
    if (fate instanceof Error) throw fate;
    isDead ||= fate === "die-before";
    if (isDead) throw DEAD();
    const result = await call();
    isDead ||= fate === "die-after";
    if (isDead) throw DEAD();
    if (fate === "lose-answer") throw LOST_ANSWER();
    return result;
  };
  for (const client of [clients.dynamodb, clients.sqs]) {
    const stack = client.middlewareStack as DynamoDBClient["middlewareStack"];
    if (where === "inside") {
      stack.add((next, context) => (args) => through(nameOf(context), {}, () => next(args)), {
        step: "deserialize",
        priority: "low",
      });
    } else {
      stack.add((next, context) => (args) => through(nameOf(context), { ...args.input }, () => next(args)), {
        step: "initialize",
        priority: "high",
      });
    }
  }
}

function nameOf({ commandName }: { commandName?: string }): string {
  return (commandName ?? "").replace(/Command$/, "");
}

/** One more worker, whose requests are meddled with and nobody else's. */
export async function openMeddled(
  world: AwsWorld,
  emulators: Emulators,
  meddler: Meddler,
  { workerId, where }: { workerId?: string; where?: "outside" | "inside" } = {},
): Promise<Engine> {
  const clients = { dynamodb: emulators.dynamodb(), sqs: emulators.sqs() };
  world.held.hold(clients.sqs);
  meddle(clients, meddler, where);
  return world.openWith(clients, workerId);
}
