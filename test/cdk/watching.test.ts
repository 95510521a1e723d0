import { readdirSync, readFileSync } from "node:fs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { describe, expect, test } from "vitest";
import { SHAPES } from "../../src/cdk/tables.ts";
import { functionsOf, type Resource, resourcesOf, synthesise } from "./synthesis.ts";

describe("alarms", () => {
  const told = synthesise((stack) => ({ channels: ["sms"], alarmTopic: new Topic(stack, "Pager") }));
  const alarms = Object.fromEntries(
    Object.entries(resourcesOf(told, "AWS::CloudWatch::Alarm")).map(([id, { Properties }]) => [
      id.replace(/^LullAlarms/, "").replace(/[0-9A-F]{8}$/, ""),
      Properties,
    ]),
  );
  const service = functionsOf(told).worker!.Properties.Environment.Variables.POWERTOOLS_SERVICE_NAME;

  test.each([
    ["Late", "TurnLateSeconds", 20, undefined],
    ["Retriggered", "Retriggered", 0, "Sum"],
    ["LeaseHeld", "LeaseHeldSecondsMax", 300, "Maximum"],
    ["StaleLeases", "StaleLeases", 10, "Maximum"],
    ["DeadLetters", "DeadLetters", 0, "Maximum"],
    ["UnknownSends", "UnknownSends", 0, "Maximum"],
    ["Orphans", "Orphans", 0, "Sum"],
    ["RowsQuarantined", "RowsQuarantined", 0, "Sum"],
  ])("%s: %s above %d", (id, MetricName, Threshold, Statistic) => {
    expect(alarms[id]).toMatchObject({
      Namespace: "Lull",
      MetricName,
      Dimensions: [{ Name: "service", Value: service }],
      Threshold,
      ...(Statistic && { Statistic }),
      ComparisonOperator: "GreaterThanThreshold",
      TreatMissingData: "notBreaching",
    });
  });

  test("a turn that begins late rings within a minute, a worker that is gone within three", () => {
    expect(alarms.Late).toMatchObject({ ExtendedStatistic: "p90", Period: 60, EvaluationPeriods: 1 });
    expect(alarms.Late!.Threshold).toBeLessThan(60);
    expect(alarms.Retriggered).toMatchObject({ Period: 60, EvaluationPeriods: 3 });
  });

  test.each([
    ["WebhooksThrottled", 0, "429"],
    ["WebhooksRefused", 10, "4*"],
  ])("%s: above %d answers of %s, counted in the gateway's log", (MetricName, Threshold, status) => {
    const Namespace = `Lull/${service}`;
    expect(alarms[MetricName]).toMatchObject({ Namespace, MetricName, Threshold, Statistic: "Sum" });
    const filters = Object.values(resourcesOf(told, "AWS::Logs::MetricFilter"));
    const [stage] = Object.values(resourcesOf(told, "AWS::ApiGatewayV2::Stage"));
    const filter = filters.find(
      ({ Properties }) => Properties.MetricTransformations[0].MetricName === MetricName,
    );
    const [{ MetricNamespace, MetricValue }] = filter!.Properties.MetricTransformations;
    expect([MetricNamespace, MetricValue]).toEqual([Namespace, "1"]);
    expect(filter!.Properties.FilterPattern).toBe(
      `{ ($.route = "POST /webhooks/*") && ($.status = "${status}") }`,
    );
    const [log] = stage!.Properties.AccessLogSettings.DestinationArn["Fn::GetAtt"];
    expect(filter!.Properties.LogGroupName).toEqual({ Ref: log });
    // What is filtered is what is logged.
    const format = JSON.parse(stage!.Properties.AccessLogSettings.Format);
    expect([format.route, format.status]).toEqual(["$context.routeKey", "$context.status"]);
  });

  test.each(Object.entries(SHAPES))("%s: more than 10 requests that DynamoDB turned away", (name, shape) => {
    const alarm = alarms[`${name}throttled`]!;
    expect(alarm.Threshold).toBe(10);
    const metrics = (alarm.Metrics as { MetricStat?: { Metric: { MetricName: string } } }[]).flatMap(
      ({ MetricStat }) => MetricStat?.Metric ?? [],
    );
    expect(metrics).toHaveLength(2 * (1 + (shape.indexes ?? []).length));
    expect(new Set(metrics.map(({ MetricName }) => MetricName))).toEqual(
      new Set(["ReadThrottleEvents", "WriteThrottleEvents"]),
    );
    // CloudWatch takes ten at most in one alarm.
    expect(metrics.length).toBeLessThanOrEqual(10);
  });

  test("more than half of the takes finding the lease held", () => {
    expect(alarms.LeasesBusy).toMatchObject({ Threshold: 0.5, ComparisonOperator: "GreaterThanThreshold" });
    const names = (
      alarms.LeasesBusy!.Metrics as { MetricStat?: { Metric: { MetricName: string } } }[]
    ).flatMap(({ MetricStat }) => MetricStat?.Metric.MetricName ?? []);
    expect(names.sort()).toEqual(["LeasesBusy", "LeasesTaken"]);
  });

  test.each([
    ["ServerErrors", "AWS/ApiGateway", "5xx", 0],
    ["webhookerrors", "AWS/Lambda", "Errors", 0],
    ["workererrors", "AWS/Lambda", "Errors", 0],
    ["sweepererrors", "AWS/Lambda", "Errors", 0],
    ["webhookthrottles", "AWS/Lambda", "Throttles", 0],
    ["workerthrottles", "AWS/Lambda", "Throttles", 0],
    ["sweeperthrottles", "AWS/Lambda", "Throttles", 0],
    ["defaultdead", "AWS/SQS", "ApproximateNumberOfMessagesVisible", 0],
    ["smsdead", "AWS/SQS", "ApproximateNumberOfMessagesVisible", 0],
    ["defaultlate", "AWS/SQS", "ApproximateAgeOfOldestMessage", 1800],
    ["smslate", "AWS/SQS", "ApproximateAgeOfOldestMessage", 1800],
  ])("%s: %s %s above %d", (id, Namespace, MetricName, Threshold) => {
    const ComparisonOperator = "GreaterThanThreshold";
    expect(alarms[id]).toMatchObject({ Namespace, MetricName, Threshold, ComparisonOperator });
  });

  test("look at the queue that holds what no worker could handle", () => {
    for (const channel of ["default", "sms"]) {
      const [{ Value }] = alarms[`${channel}dead`]!.Dimensions;
      expect(Value["Fn::GetAtt"][0]).toMatch(new RegExp(`^Lull${channel}dead`));
    }
  });

  test("a silent sweeper is not peace", () => {
    expect(alarms.SweeperSilent).toMatchObject({
      MetricName: "Invocations",
      Threshold: 1,
      ComparisonOperator: "LessThanThreshold",
      TreatMissingData: "breaching",
    });
  });

  test("are all told to the topic, each with what it means", () => {
    const [topic] = Object.keys(resourcesOf(told, "AWS::SNS::Topic"));
    expect(Object.keys(alarms)).toHaveLength(29);
    for (const alarm of Object.values(alarms)) {
      expect(alarm.AlarmActions).toEqual([{ Ref: topic }]);
      expect(alarm.OKActions).toEqual([{ Ref: topic }]);
      expect(alarm.AlarmDescription).toMatch(/\w.+\.$/);
    }
    const untold = Object.values(resourcesOf(synthesise(), "AWS::CloudWatch::Alarm"));
    expect(untold.filter(({ Properties }) => "AlarmActions" in Properties)).toEqual([]);
  });
});

test("what is watched is what the functions tell", () => {
  const { Resources } = synthesise().toJSON() as { Resources: Record<string, Resource> };
  const watched = Object.values(Resources).filter(({ Type }) => Type.startsWith("AWS::CloudWatch::"));
  const body = JSON.stringify(watched).replaceAll("\\", "");
  const inDashboard = [...body.matchAll(/\["Lull","(\w+)"/g)];
  const inAlarms = [...body.matchAll(/"MetricName":"(\w+)","Namespace":"Lull"/g)];
  const names = new Set([...inDashboard, ...inAlarms].map(([, name]) => name));
  expect(names.size).toBeGreaterThan(12);
  const folder = new URL("../../src/lambda/", import.meta.url);
  const sources = readdirSync(folder).filter((file) => file.endsWith(".ts"));
  // The gauges are told there, and what is counted from events stands in their table.
  const files = [
    ...sources.map((file) => new URL(file, folder)),
    new URL("../core/event-metrics.ts", folder),
  ];
  const told = files.map((file) => readFileSync(file, "utf8"));
  expect([...names].filter((name) => !told.some((source) => source.includes(`"${name}"`)))).toEqual([]);
});

test("the dashboard shows messages, turns, times, queues, what needs a person, and what it costs", () => {
  const [dashboard] = Object.values(resourcesOf(synthesise(), "AWS::CloudWatch::Dashboard"));
  const body = JSON.stringify(dashboard!.Properties.DashboardBody);
  const shown = [
    ...["MessagesStaged", "MessagesRefused", "TurnsCommitted", "TurnsDead", "LeasesBusy", "StoreRetries"],
    ...["DeadLetters", "UnknownSends", "Orphans", "RowsQuarantined", "StaleLeases", "LeaseHeldSecondsMax"],
    ...["QuarantinedRows", "TurnLateSeconds", "Retriggered", "WebhooksThrottled", "WebhooksRefused"],
    ...["Latency", "Duration", "5xx", "ApproximateAgeOfOldestMessage"],
    ...["ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits", "GlobalSecondaryIndexName"],
  ];
  expect(shown.filter((name) => !body.includes(name))).toEqual([]);
});
