import type { EngineProvider } from "../../ports/engine.ts";
import { AWS_DEFAULTS } from "./context.ts";
import { engineOn, openContext } from "./engine.ts";
import { type AwsOptions, resourcesFrom } from "./options.ts";
import { requireQueue } from "./queue/triggers.ts";
import { openSeedTables } from "./seed-tables.ts";

export { AWS_DEFAULTS } from "./context.ts";
export { createTables } from "./dynamo/create-tables.ts";
export { TABLES, type TableDefinition } from "./dynamo/tables.ts";
export type { AwsOptions } from "./options.ts";
export { createQueues, type QueueOptions } from "./queue/create-queues.ts";

/** The engine with its options: code that reads its queues otherwise needs the same clients and names. */
export interface AwsEngine extends EngineProvider {
  readonly name: "aws";
  readonly options: AwsOptions;
}

/**
 * DynamoDB and SQS: any number of machines, or none. The same promises as on one machine, kept by conditions
 * instead of transactions.
 */
export function aws(options: AwsOptions = {}): AwsEngine {
  return {
    options,
    name: "aws",
    defaults: AWS_DEFAULTS,
    hasSharedRows: true,
    triggerQueues: () => Object.values(resourcesFrom(options).queues),
    backupNote:
      "DynamoDB has backups of its own: switch on point-in-time recovery for the tables, " +
      "and restore them with `aws dynamodb restore-table-to-point-in-time`",
    seedTables: (names, given) => openSeedTables(options, names, given),
    async open(given) {
      requireQueue(resourcesFrom(options).queues);
      const { context, checks, redrive, close } = openContext(options, given);
      return { ...engineOn(context, close), checks, redrive };
    },
  };
}
