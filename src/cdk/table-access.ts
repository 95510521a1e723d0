import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { type FunctionName, LULL_TABLES, type LullTable } from "./lull-props.ts";
import type { LullTables } from "./tables.ts";

interface Access {
  readonly actions: readonly string[];
  /** Indexes that it queries: they are resources of their own. */
  readonly indexes?: readonly string[];
}

/**
 * What each function asks each table for, and nothing else. A transaction is allowed by its parts; a batch
 * has a permission of its own. `test/aws/contract.test.ts` notes every request of the engine and compares.
 */
const ACCESS: Readonly<Record<FunctionName, Readonly<Partial<Record<LullTable, Access>>>>> = {
  /**
   * What a webhook needs, and what a visitor's page shows of its own conversation. It may neither erase nor
   * list customers.
   */
  webhook: {
    conversations: {
      actions: ["GetItem", "Query", "PutItem", "UpdateItem"],
      indexes: ["active-by-primary-channel", "by-conversation-id"],
    },
    stage: { actions: ["GetItem", "Query", "PutItem"] },
    triggerLock: { actions: ["GetItem", "PutItem", "UpdateItem"] },
    state: { actions: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"] },
    messages: { actions: ["Query", "PutItem", "DeleteItem"] },
    seen: { actions: ["GetItem", "BatchGetItem", "UpdateItem", "DeleteItem"] },
  },
  /** Listings, repairs, erasing a person. */
  api: {
    conversations: {
      actions: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
      indexes: ["by-conversation-id", "listed"],
    },
    stage: { actions: ["Query", "Scan", "PutItem", "BatchWriteItem"] },
    triggerLock: { actions: ["GetItem", "BatchGetItem", "Scan", "PutItem", "UpdateItem", "DeleteItem"] },
    state: {
      actions: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem", "DeleteItem"],
      indexes: ["leased"],
    },
    messages: {
      actions: ["GetItem", "BatchGetItem", "Query", "UpdateItem", "DeleteItem", "BatchWriteItem"],
      indexes: ["listed"],
    },
    seen: { actions: ["GetItem", "UpdateItem", "BatchWriteItem"] },
  },
  /** What a turn needs. It removes nothing but what a turn used up. */
  worker: {
    conversations: {
      actions: ["GetItem", "Query", "PutItem", "UpdateItem"],
      indexes: ["by-conversation-id"],
    },
    stage: { actions: ["BatchGetItem", "Query", "PutItem", "DeleteItem", "BatchWriteItem"] },
    triggerLock: { actions: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"] },
    state: { actions: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"] },
    messages: { actions: ["Query", "PutItem", "UpdateItem"] },
    seen: { actions: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"] },
  },
  /**
   * Looks for stranded work and for what the gauges show. It reads no message's text but that of an orphan.
   */
  sweeper: {
    conversations: { actions: ["GetItem"], indexes: ["by-conversation-id"] },
    stage: { actions: ["Query", "Scan", "BatchWriteItem"] },
    triggerLock: { actions: ["GetItem", "BatchGetItem", "Scan", "PutItem", "UpdateItem"] },
    state: { actions: ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"], indexes: ["leased"] },
    messages: { actions: [], indexes: ["listed"] },
    seen: { actions: ["BatchGetItem"] },
  },
};

export function tableStatements(name: FunctionName, tables: LullTables): PolicyStatement[] {
  return [
    ...LULL_TABLES.flatMap((table) => statementsFor(tables[table].tableArn, ACCESS[name][table])),
    ...keyStatements(tables),
  ];
}

function statementsFor(arn: string, { actions, indexes = [] }: Access = { actions: [] }): PolicyStatement[] {
  return [
    ...(actions.length === 0 ? [] : [allow(actions, [arn])]),
    ...(indexes.length === 0
      ? []
      : [
          allow(
            ["Query"],
            indexes.map((index) => `${arn}/index/${index}`),
          ),
        ]),
  ];
}

function allow(actions: readonly string[], resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources });
}

const KEY_ACTIONS = [
  "kms:Decrypt",
  "kms:DescribeKey",
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];

/** DynamoDB uses a customer's key in the name of its caller, and only DynamoDB may. */
function keyStatements(tables: LullTables): PolicyStatement[] {
  const keys = new Set(Object.values(tables).flatMap(({ encryptionKey }) => encryptionKey ?? []));
  return [...keys].map(
    (key) =>
      new PolicyStatement({
        actions: KEY_ACTIONS,
        resources: [key.keyArn],
        conditions: {
          StringEquals: { "kms:ViaService": `dynamodb.${key.env.region}.amazonaws.com` },
        },
      }),
  );
}
