import type {
  AttributeDefinition,
  GlobalSecondaryIndexDescription,
  KeySchemaElement,
  TableDescription,
} from "@aws-sdk/client-dynamodb";
import type { IndexDefinition, KeyPart, TableDefinition } from "./tables.ts";

/**
 * Tables may have been created by hand. Wrong keys fail on the first message; a wrong index fails on the
 * first query, or finds nothing.
 */
export function problems(table: TableDescription, wanted: TableDefinition): string[] {
  const { KeySchema = [], GlobalSecondaryIndexes = [], AttributeDefinitions = [] } = table;
  const key = keyText(KeySchema, AttributeDefinitions);
  const wantedKey = wantedText(wanted);
  return [
    ...(key === wantedKey ? [] : [`has the key ${key} instead of ${wantedKey}`]),
    ...(wanted.indexes ?? []).flatMap((index) => {
      const found = GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === index.name);
      if (!found) return [`lacks the index ${index.name}`];
      const wrong = indexProblems(found, AttributeDefinitions, index, wanted);
      return wrong.map((problem) => `has an index ${index.name} that ${problem}`);
    }),
  ];
}

/** Whether it is an index that only needs time. */
export function isBeingMade(problem: string): boolean {
  return problem.endsWith(`that ${NOT_READY}: CREATING`);
}

const NOT_READY = "is not ready";

function indexProblems(
  { KeySchema = [], IndexStatus = "ACTIVE", Projection = {} }: GlobalSecondaryIndexDescription,
  definitions: readonly AttributeDefinition[],
  wanted: IndexDefinition,
  table: TableDefinition,
): string[] {
  const key = keyText(KeySchema, definitions);
  const wantedKey = wantedText(wanted);
  const carried = new Set([...(Projection.NonKeyAttributes ?? []), ...keysOf(table), ...keysOf(wanted)]);
  const isAll = Projection.ProjectionType === "ALL";
  const missing = isAll ? [] : (wanted.carries ?? []).filter((name) => !carried.has(name));
  return [
    ...(key === wantedKey ? [] : [`has the key ${key} instead of ${wantedKey}`]),
    ...(missing.length === 0 ? [] : [`does not carry ${missing.join(", ")}`]),
    ...(IndexStatus === "ACTIVE" ? [] : [`${NOT_READY}: ${IndexStatus}`]),
  ];
}

type Keyed = { readonly partitionKey: KeyPart; readonly sortKey?: KeyPart };

function partsOf({ partitionKey, sortKey }: Keyed): KeyPart[] {
  return sortKey ? [partitionKey, sortKey] : [partitionKey];
}

function keysOf(keyed: Keyed): string[] {
  return partsOf(keyed).map(({ name }) => name);
}

function wantedText(keyed: Keyed): string {
  return partsOf(keyed)
    .map(({ name, type }) => `${name} (${type})`)
    .join(", ");
}

/** The partition key first, whatever the order in the description. */
function keyText(schema: readonly KeySchemaElement[], definitions: readonly AttributeDefinition[]): string {
  const typeOf = (name: string | undefined) =>
    definitions.find(({ AttributeName }) => AttributeName === name)?.AttributeType ?? "?";
  return [...schema]
    .sort((a, b) => (a.KeyType === b.KeyType ? 0 : a.KeyType === "HASH" ? -1 : 1))
    .map(({ AttributeName }) => `${AttributeName} (${typeOf(AttributeName)})`)
    .join(", ");
}
