import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { ConfigError } from "../../errors.ts";
import type { CheckResult } from "../../ports/check-result.ts";
import type { Clock } from "../../ports/clock.ts";
import { failure, isForbidden, isMissing } from "../../wire/aws-failure.ts";
import { problems } from "./dynamo/table-problems.ts";
import { TABLES, type TableName, type TableNames } from "./dynamo/tables.ts";
import { type Ending, type Retrying, retrying } from "./retry.ts";

/** A trigger is hidden until its conversation is leased: up to two seconds when AWS is slow. */
const VISIBILITY_SECONDS_MIN = 10;
/** Leases allow for clocks that are two seconds apart. */
const CLOCK_MS_MAX = 2_000;

export interface Checked {
  readonly dynamodb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly tables: TableNames;
  readonly queues: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly retrying: Retrying;
}

/** Credentials, tables, queues and clock. Rejects if AWS is unreachable: that is no configuration error. */
export async function checks(checked: Checked): Promise<readonly CheckResult[]> {
  const clock = watchClock(checked.dynamodb, checked.clock);
  try {
    const found = await checkPlaces(checked);
    return [ok("AWS access", "the credentials are accepted"), ...found, ...checkClock(clock.offMs())];
  } catch (error) {
    // The same for every table and queue, so it is reported once.
    if (error instanceof ConfigError) return [fail("AWS access", error.message)];
    throw error;
  } finally {
    clock.stop();
  }
}

async function checkPlaces(checked: Checked): Promise<CheckResult[]> {
  const names = Object.keys(TABLES) as TableName[];
  const tables = (await Promise.all(names.map((name) => checkTable(checked, name)))).flat();
  const channels = Object.keys(checked.queues);
  const queues = (await Promise.all(channels.map((channel) => checkQueue(checked, channel)))).flat();
  const all = names.map((name) => checked.tables[name]).join(", ");
  return [
    ...(tables.length > 0 ? tables : [ok("tables", `${all}: keys and indexes are as they should be`)]),
    ...(queues.length > 0 ? queues : [ok("queues", `of channels ${channels.join(", ")}`)]),
  ];
}

const ok = (check: string, detail: string): CheckResult => ({ check, verdict: "ok", detail });
const warn = (check: string, detail: string): CheckResult => ({ check, verdict: "warn", detail });
const skip = (check: string, detail: string): CheckResult => ({ check, verdict: "skip", detail });
const fail = (check: string, detail: string): CheckResult => ({ check, verdict: "fail", detail });

async function checkTable(checked: Checked, table: TableName): Promise<CheckResult[]> {
  const TableName = checked.tables[table];
  const check = `table ${TableName}`;
  return withPermission(check, "dynamodb:DescribeTable", async () => {
    const command = new DescribeTableCommand({ TableName });
    const { Table } = await patiently(checked, (ending) => checked.dynamodb.send(command, ending));
    const wrong = problems(Table ?? {}, TABLES[table]);
    if (table === "stage" && (await expires(checked, TableName))) {
      wrong.push("expires its rows (TTL): messages would go before they are answered; switch it off");
    }
    return wrong.map((problem) => fail(check, problem));
  });
}

async function expires(checked: Checked, TableName: string): Promise<boolean> {
  const command = new DescribeTimeToLiveCommand({ TableName });
  try {
    const { TimeToLiveDescription } = await patiently(checked, (ending) =>
      checked.dynamodb.send(command, ending),
    );
    return TimeToLiveDescription?.TimeToLiveStatus === "ENABLED";
  } catch (error) {
    if (isForbidden(error)) return false;
    throw error;
  }
}

async function checkQueue(checked: Checked, channel: string): Promise<CheckResult[]> {
  const check = `queue of channel ${channel}`;
  return withPermission(check, "sqs:GetQueueAttributes", async () => {
    const QueueUrl = checked.queues[channel];
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
    const { Attributes = {} } = await patiently(checked, (ending) => checked.sqs.send(command, ending));
    const { FifoQueue, VisibilityTimeout, RedrivePolicy } = Attributes;
    const fifo = fail(check, "is a FIFO queue, which delays no single message: use a standard one");
    const short = warn(
      check,
      `hides a trigger for ${VisibilityTimeout} s only: ${VISIBILITY_SECONDS_MIN} s at least`,
    );
    const endless = warn(check, "has no dead-letter queue: an unreadable trigger goes round for days");
    return [
      ...(FifoQueue === "true" ? [fifo] : []),
      ...(Number(VisibilityTimeout) < VISIBILITY_SECONDS_MIN ? [short] : []),
      ...(RedrivePolicy === undefined ? [endless] : []),
    ];
  });
}

function patiently<T>(checked: Checked, request: (ending: Ending) => Promise<T>): Promise<T> {
  return retrying(request, checked.retrying, checked.clock);
}

/** A wrong configuration is a failed check. A role that may not describe a table may still use it. */
async function withPermission(
  check: string,
  action: string,
  look: () => Promise<CheckResult[]>,
): Promise<CheckResult[]> {
  try {
    return await look();
  } catch (error) {
    if (isForbidden(error)) return [skip(check, `not checked: ${action} is not allowed`)];
    if (isMissing(error)) return [fail(check, failure(error, "it").message)];
    throw failure(error, check);
  }
}

/** AWS's `Date` against our clock, from answers that come anyway. */
function watchClock(dynamodb: DynamoDBClient, clock: Clock) {
  let offMs: number | undefined;
  dynamodb.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { headers = {} } = result.response as { headers?: Record<string, string> };
      const theirAtMs = Date.parse(headers.date ?? "");
      // AWS's time has whole seconds.
      if (!Number.isNaN(theirAtMs)) offMs = Math.max(0, Math.abs(clock.nowMs() - theirAtMs - 500) - 500);
      return result;
    },
    { step: "deserialize", priority: "low", name: "lullClock", override: true },
  );
  return { offMs: () => offMs, stop: () => void dynamodb.middlewareStack.remove("lullClock") };
}

function checkClock(offMs: number | undefined): CheckResult[] {
  if (offMs === undefined) return [];
  const text = `${Math.round(offMs / 1_000)} s off AWS's`;
  const result =
    offMs > CLOCK_MS_MAX ? warn("clock", `${text}: leases rely on it, run NTP`) : ok("clock", text);
  return [result];
}
