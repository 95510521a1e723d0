import { AsyncLocalStorage } from "node:async_hooks";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { TABLES } from "../../src/engines/aws/dynamo/tables.ts";
import type { Engine } from "../../src/ports/engine.ts";
import type { AwsFixture } from "./aws-fixture.ts";

/** The function that makes a request where the engine runs on Lambda. */
export type Caller = "webhook" | "api" | "worker" | "sweeper";

/** Who asks for what. */
const CALLERS: Readonly<Record<Exclude<keyof Engine, Odd>, Caller>> = {
  receiving: "webhook",
  conversations: "api",
  repairs: "api",
  inspector: "api",
  people: "api",
  turns: "worker",
  sweeping: "sweeper",
};

type Odd = "secretFor" | "importConversation" | "redrive" | "ping" | "probe" | "checks" | "examine" | "close";

/** Further functions that call a member of another function's port, alone or as well. */
const ODD: Readonly<Record<string, readonly Caller[]>> = {
  history: ["worker"],
  gauges: ["sweeper"],
  // A visitor's feed, and the text for a customer whose conversation is full.
  conversation: ["webhook", "api"],
  latestId: ["webhook", "api"],
  say: ["webhook", "api"],
};

interface Input {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly ConsistentRead?: boolean;
  readonly RequestItems?: Readonly<Record<string, { readonly ConsistentRead?: boolean }>>;
  readonly TransactItems?: readonly Readonly<Record<string, { readonly TableName: string }>>[];
}

/**
 * What each caller was seen to ask DynamoDB for, in the words of IAM:
 * `worker dynamodb:Query conversations-state/index/leased`.
 */
export class Requests {
  readonly seen = new Set<string>();
  /** Reads of tables, and those of them that may show what was true a moment ago. Indexes always may. */
  readonly reads = new Set<string>();
  readonly lagging = new Set<string>();
  readonly #callers = new AsyncLocalStorage<readonly Caller[]>();

  /** The fixture, with every request of its engines noted. */
  of(fixture: AwsFixture): AwsFixture {
    this.#note(fixture.options.clients!.dynamodb!);
    return { ...fixture, open: async (holder) => this.#asked(await fixture.open(holder)) };
  }

  #asked(engine: Engine): Engine {
    const ports = Object.entries(CALLERS).map(([name, caller]) => {
      const port = engine[name as keyof typeof CALLERS] as object;
      return [name, this.#within(port, (method) => ODD[method] ?? [caller])];
    });
    // A start on a machine asks with a write; a function behind a gateway does not.
    const ping = () => this.#callers.run(["webhook"], () => engine.probe!());
    const secretFor = (purpose: string) => this.#callers.run(["api"], () => engine.secretFor(purpose));
    return { ...Object.fromEntries(ports), ping, secretFor, close: () => engine.close() } as Engine;
  }

  #within<T extends object>(port: T, callerOf: (method: string) => readonly Caller[]): T {
    return new Proxy(port, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: unknown[]) =>
          this.#callers.run(callerOf(String(name)), () => Reflect.apply(member, target, args));
      },
    });
  }

  #noteRead(action: string, input: Input): void {
    if (!READS.has(action) || input.IndexName !== undefined) return;
    const isConsistent = (each: Pick<Input, "ConsistentRead">) => each.ConsistentRead === true;
    const parts = Object.values(input.RequestItems ?? {});
    const lags = parts.length > 0 ? !parts.every(isConsistent) : !isConsistent(input);
    for (const what of asked(action, input)) {
      this.reads.add(what);
      if (lags) this.lagging.add(what);
    }
  }

  #note(client: DynamoDBClient): void {
    client.middlewareStack.add(
      (next, { commandName = "" }) =>
        (args) => {
          const callers = this.#callers.getStore() ?? [];
          const action = commandName.replace(/Command$/, "");
          this.#noteRead(action, args.input as Input);
          for (const what of asked(action, args.input as Input))
            for (const caller of callers) this.seen.add(`${caller} ${what}`);
          return next(args);
        },
      { step: "initialize" },
    );
  }
}

const READS = new Set(["GetItem", "BatchGetItem", "Query", "Scan"]);

/** A transaction is allowed by its parts; a batch has a permission of its own. */
function asked(action: string, { TableName, IndexName, RequestItems, TransactItems }: Input): string[] {
  if (TransactItems) {
    return TransactItems.flatMap((item) =>
      Object.entries(item).map(([part, of]) => `dynamodb:${part}Item ${plain(of.TableName)}`),
    );
  }
  const tables = TableName === undefined ? Object.keys(RequestItems ?? {}) : [TableName];
  const index = IndexName === undefined ? "" : `/index/${IndexName}`;
  return tables.map((table) => `dynamodb:${action} ${plain(table)}${index}`);
}

/** Without the prefix of a test. */
function plain(table: string): string {
  const names = Object.values(TABLES).map(({ name }) => name);
  return names.filter((name) => table.endsWith(name)).sort((a, b) => b.length - a.length)[0] ?? table;
}
