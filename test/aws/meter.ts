import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { SQSClient } from "@aws-sdk/client-sqs";

const READS = new Set(["GetItem", "BatchGetItem", "Query", "Scan"]);

interface Capacity {
  readonly CapacityUnits?: number;
}

/** The totals. */
export interface Spent {
  readonly requests: Readonly<Record<string, number>>;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/**
 * What requests cost: how many of which kind, and the units that DynamoDB would bill for them, indexes
 * included.
 */
export class Meter {
  requests: Record<string, number> = {};
  readUnits = 0;
  writeUnits = 0;

  /** Counts whatever these clients send from now on. */
  read(clients: { readonly dynamodb: DynamoDBClient; readonly sqs: SQSClient }): void {
    for (const client of [clients.dynamodb, clients.sqs]) {
      (client.middlewareStack as DynamoDBClient["middlewareStack"]).add(
        (next, { commandName = "" }) =>
          async (args) => {
            const name = commandName.replace(/Command$/, "");
            const isQueue = /Message/.test(name);
            const input = isQueue ? args.input : { ...args.input, ReturnConsumedCapacity: "TOTAL" };
            try {
              const result = await next({ ...args, input: input as typeof args.input });
              const { ConsumedCapacity } = result.output as { ConsumedCapacity?: Capacity | Capacity[] };
              this.#count(name, [ConsumedCapacity ?? []].flat());
              return result;
            } catch (error) {
              // A write that its condition refused is billed all the same.
              this.#count(name, [{ CapacityUnits: 1 }]);
              throw error;
            }
          },
        { step: "initialize", priority: "high" },
      );
    }
  }

  #count(name: string, capacity: readonly Capacity[]): void {
    this.requests[name] = (this.requests[name] ?? 0) + 1;
    const units = capacity.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
    if (READS.has(name)) this.readUnits += units;
    else this.writeUnits += units;
  }

  /** The totals since the last call. */
  take(): Spent {
    const { requests, readUnits, writeUnits } = this;
    this.requests = {};
    this.readUnits = 0;
    this.writeUnits = 0;
    return { requests, readUnits, writeUnits };
  }
}
