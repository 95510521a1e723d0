import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { SQSClient } from "@aws-sdk/client-sqs";
import type { Random } from "../../src/testing/simulator/random.ts";

/**
 * One request at a time, and which one is drawn by lot: every caller with one waiting may be next. So a seed
 * decides how workers interleave, request by request.
 */
export class RequestScheduler {
  #random: Random;
  #waiting: (() => void)[] = [];
  #isBusy = false;

  constructor(random: Random) {
    this.#random = random;
  }

  /** From now on this decides the lots. */
  reseed(random: Random): void {
    this.#random = random;
  }

  /** Every request of these clients waits until it is next. */
  join(clients: { readonly dynamodb: DynamoDBClient; readonly sqs: SQSClient }): void {
    for (const client of [clients.dynamodb, clients.sqs]) {
      (client.middlewareStack as DynamoDBClient["middlewareStack"]).add(
        (next) => (args) => this.schedule(() => next(args)),
        { step: "initialize", priority: "high" },
      );
    }
  }

  async schedule<T>(act: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      this.#next();
    });
    try {
      return await act();
    } finally {
      this.#isBusy = false;
      this.#next();
    }
  }

  /** After every caller had the time to make its next request. */
  #next(): void {
    setImmediate(() => {
      if (this.#isBusy || this.#waiting.length === 0) return;
      this.#isBusy = true;
      const [drawn] = this.#waiting.splice(this.#random.below(this.#waiting.length), 1);
      drawn?.();
    });
  }
}
