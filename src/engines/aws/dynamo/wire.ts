import type { CancellationReason } from "@aws-sdk/client-dynamodb";
import { ImpossibleWrite } from "../../../wire/aws-failure.ts";
import { type Attributes, exactItem, marshalled, plainItem } from "./exact.ts";
import { expressions, type Item } from "./expression.ts";
import type { Action, PageOfItems } from "./store.ts";
import { realName, type TableNames } from "./tables.ts";

/** The request of a transaction; what no request can say is told with the action's place. */
export function transactItems(names: TableNames, actions: readonly Action[]) {
  return actions.map((action, at) => {
    try {
      return transactItem(names, action);
    } catch (error) {
      if (!(error instanceof ImpossibleWrite)) throw error;
      throw new ImpossibleWrite(error.message, error, new Set([at]));
    }
  });
}

function transactItem(names: TableNames, action: Action) {
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
      return { Update: { ...made, Key: marshalled(action.key), UpdateExpression: made.UpdateExpression! } };
    case "delete":
      return { Delete: { ...made, Key: marshalled(action.key) } };
  }
}

export function valuesOf(values: Item): { ExpressionAttributeValues?: Attributes } {
  return Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: marshalled(values) };
}

export function pageOf({
  Items = [],
  LastEvaluatedKey,
}: {
  readonly Items?: Attributes[] | undefined;
  readonly LastEvaluatedKey?: Attributes | undefined;
}): PageOfItems {
  const items = Items.map(plainItem);
  return { items, ...(LastEvaluatedKey && { next: exactItem(LastEvaluatedKey) }) };
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
