import type { AttributeValue, CancellationReason } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { expressions, type Item } from "./expression.ts";
import type { Action, PageOfItems } from "./store.ts";
import { realName, type TableNames } from "./tables.ts";

export function transactItem(names: TableNames, action: Action) {
  const change = action.kind === "update" ? action.change : undefined;
  const { values, ...expression } = expressions({ change, condition: action.condition });
  const made = {
    TableName: realName(names, action.table),
    ...expression,
    ...valuesOf(values),
    ...(action.condition && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" as const }),
  };
  switch (action.kind) {
    case "put":
      return { Put: { ...made, Item: marshalled(action.item) } };
    case "update":
      return { Update: { ...made, Key: marshall(action.key), UpdateExpression: made.UpdateExpression! } };
    case "delete":
      return { Delete: { ...made, Key: marshall(action.key) } };
  }
}

/**
 * Numbers that JavaScript cannot hold exactly are rounded, and validated where they are read: an exception
 * here would stop all other rows.
 */
export function plainItem(item: Record<string, AttributeValue>): Item {
  return unmarshall(item, { wrapNumbers: Number });
}

export function marshalled(item: Item): Record<string, AttributeValue> {
  return marshall(item, { removeUndefinedValues: true });
}

export function valuesOf(values: Item): { ExpressionAttributeValues?: Record<string, AttributeValue> } {
  return Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: marshalled(values) };
}

export function pageOf({
  Items = [],
  LastEvaluatedKey,
}: {
  readonly Items?: Record<string, AttributeValue>[] | undefined;
  readonly LastEvaluatedKey?: Record<string, AttributeValue> | undefined;
}): PageOfItems {
  const items = Items.map(plainItem);
  return { items, ...(LastEvaluatedKey && { next: plainItem(LastEvaluatedKey) }) };
}

/** Which actions of a cancelled transaction failed on their condition, and the items that were there. */
export function refusals(error: unknown): Map<number, Item | undefined> {
  const { CancellationReasons = [] } = error as { CancellationReasons?: CancellationReason[] };
  return new Map(
    CancellationReasons.flatMap(({ Code, Item: found }, at) =>
      Code === "ConditionalCheckFailed" ? [[at, found && plainItem(found)] as const] : [],
    ),
  );
}
