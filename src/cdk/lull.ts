import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { Alarm, Dashboard } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Annotations, Names } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { createAlarms } from "./alarms.ts";
import { createApi, routeTo } from "./api.ts";
import { exposed, problemsOf } from "./check-props.ts";
import { createDashboard } from "./dashboard.ts";
import { createFunctions, feedWorker, type LullFunctions } from "./functions.ts";
import type { LullProps } from "./lull-props.ts";
import { LullMetrics } from "./metrics.ts";
import { createQueues, queueStatements, queueVariables } from "./queues.ts";
import { scheduleSweeper } from "./schedule.ts";
import { secretStatements, secretVariables } from "./secrets.ts";
import { tableStatements } from "./table-access.ts";
import { createTables, type LullTables, tableVariables } from "./tables.ts";

/** Lull on AWS: API Gateway, three functions, DynamoDB, SQS, a schedule, alarms and a dashboard. */
export class Lull extends Construct {
  /** Where providers call, without a slash at its end: webhooks are at `<url>/webhooks/<channel>`. */
  readonly url: string;
  readonly api: HttpApi;
  readonly webhook: IFunction;
  readonly worker: IFunction;
  readonly sweeper: IFunction;
  readonly tables: LullTables;
  /** By channel. */
  readonly queues: Readonly<Record<string, IQueue>>;
  readonly deadLetterQueues: Readonly<Record<string, IQueue>>;
  readonly alarms: readonly Alarm[];
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: LullProps = {}) {
    super(scope, id);
    this.#check(props);
    const serviceName =
      props.serviceName ?? Names.uniqueResourceName(this, { maxLength: 60, separator: "-" });
    const queues = createQueues(this, props);
    const tables = createTables(this, props);
    const api = createApi(this, props);
    const environment = {
      LULL_PUBLIC_URL: api.api.apiEndpoint,
      ...props.environment,
      ...secretVariables(props.secrets),
      LULL_ENGINE: "aws",
      ...tableVariables(tables),
      ...queueVariables(queues),
      POWERTOOLS_SERVICE_NAME: serviceName,
    };
    const functions: LullFunctions = createFunctions(this, props, (name) => ({
      environment,
      statements: [
        ...tableStatements(name, tables),
        ...queueStatements(name, queues),
        // The sweeper talks to nobody outside.
        ...(name === "sweeper" ? [] : secretStatements(props.secrets)),
      ],
    }));
    routeTo(api.api, functions.webhook);
    feedWorker(this, functions.worker, queues, props);
    scheduleSweeper(this, functions.sweeper);
    const watched = { metrics: new LullMetrics(serviceName), api, functions, queues };
    this.alarms = createAlarms(this, watched, props.alarmTopic);
    this.dashboard = createDashboard(this, watched, tables);
    this.url = environment.LULL_PUBLIC_URL;
    this.api = api.api;
    this.webhook = functions.webhook;
    this.worker = functions.worker;
    this.sweeper = functions.sweeper;
    this.tables = tables;
    this.queues = Object.fromEntries(queues.map(({ channel, queue }) => [channel, queue]));
    this.deadLetterQueues = Object.fromEntries(queues.map(({ channel, dead }) => [channel, dead]));
  }

  #check(props: LullProps): void {
    const problems = problemsOf(props);
    if (problems.length > 0) throw new Error(`${this.node.path}: ${problems.join("; ")}`);
    for (const name of exposed(props)) {
      const advice = `${name} looks like a secret, and a template is no place for one: give it in "secrets".`;
      Annotations.of(this).addWarningV2("lull:secret-in-environment", advice);
    }
  }
}
