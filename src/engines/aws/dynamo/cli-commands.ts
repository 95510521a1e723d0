/** What the AWS CLI is told, for a person who makes tables by hand: one paste in a shell, region and all. */
export interface CliPlace {
  readonly region: string;
  readonly table: string;
}

/** A table with its indexes, until it is there. Its expiry can be set then, and not before. */
export function createCommand(place: CliPlace, input: object, expiry: object | undefined): string {
  return inTurn(
    told(place, "create-table", input),
    `aws dynamodb wait table-exists ${at(place)}`,
    ...(expiry === undefined ? [] : [told(place, "update-time-to-live", expiry)]),
  );
}

/** DynamoDB makes one index of a table at a time: the next can be asked for when this one is ready. */
export function addIndexCommand(place: CliPlace, input: object, index: string): string {
  return inTurn(told(place, "update-table", input), untilReadyCommand(place, index));
}

/** `wait table-exists` does not look at indexes. */
export function untilReadyCommand(place: CliPlace, index: string): string {
  const status = `Table.GlobalSecondaryIndexes[?IndexName=='${index}'].IndexStatus`;
  const asked = `aws dynamodb describe-table ${at(place)} --query "${status}" --output text`;
  return `until [ "$(${asked})" = ACTIVE ]; do sleep 10; done`;
}

export function expiryCommand(place: CliPlace, input: object): string {
  return told(place, "update-time-to-live", input);
}

/** A step that fails ends the rest. */
function inTurn(...steps: readonly string[]): string {
  return steps.join(" &&\n");
}

function at({ region, table }: CliPlace): string {
  return `--region ${region} --table-name ${table}`;
}

/** Its answer goes nowhere: to a terminal the CLI would show it in a pager, and wait there. */
function told({ region }: CliPlace, action: string, input: object): string {
  return `aws dynamodb ${action} --region ${region} --cli-input-json '${JSON.stringify(input)}' > /dev/null`;
}
