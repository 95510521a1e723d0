import type { HttpApi } from "aws-cdk-lib/aws-apigatewayv2";
import type { Alarm, Dashboard } from "aws-cdk-lib/aws-cloudwatch";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { Annotations, Names } from "aws-cdk-lib/core";
import { Construct } from "constructs";
import { CONFIG_VARIABLE } from "../config/resolve-settings.ts";
import { createAlarms } from "./alarms.ts";
import { createApi, routeTo } from "./api.ts";
import { exposed, problemsOf } from "./check-props.ts";
import { targetOf } from "./concurrency.ts";
import { configQueueStatements } from "./config-queues.ts";
import { missingVariables, unreadable, writtenOut } from "./config-secrets.ts";
import { createDashboard } from "./dashboard.ts";
import { createFunctions, feedWorker, type LullFunctions } from "./functions.ts";
import { keysFrom } from "./keys.ts";
import type { LullProps } from "./lull-props.ts";
import { LullMetrics } from "./metrics.ts";
import { createQueues, queueStatements, queueVariables } from "./queues.ts";
import { scheduleSweeper } from "./schedule.ts";
import { secretStatements, secretVariables, sharedTooWidely } from "./secrets.ts";
import { tableStatements } from "./table-access.ts";
import { createTables, type LullTables, tableVariables } from "./tables.ts";
import { createTargets, targetStatements, targetVariables } from "./target-queues.ts";

/** Lull on AWS: API Gateway, three functions or four, DynamoDB, SQS, a schedule, alarms and a dashboard. */
export class Lull extends Construct {
  /** Where providers call, without a slash at its end: webhooks are at `<url>/webhooks/<channel>`. */
  readonly url: string;
  readonly api: HttpApi;
  readonly webhook: IFunction;
  /** Where `/api` is served. */
  readonly apiFunction: IFunction | undefined;
  readonly worker: IFunction;
  readonly sweeper: IFunction;
  readonly tables: LullTables;
  /** By channel. */
  readonly queues: Readonly<Record<string, IQueue>>;
  readonly deadLetterQueues: Readonly<Record<string, IQueue>>;
  /** Where turns are handed to, made or given; and what the reader of one made here could not handle. */
  readonly aiQueue: IQueue | undefined;
  readonly aiDeadLetterQueue: IQueue | undefined;
  readonly handOffQueue: IQueue | undefined;
  readonly handOffDeadLetterQueue: IQueue | undefined;
  readonly alarms: readonly Alarm[];
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: LullProps = {}) {
    super(scope, id);
    this.#check(props);
    const serviceName =
      props.serviceName ?? Names.uniqueResourceName(this, { maxLength: 60, separator: "-" });
    const keys = keysFrom(this, props);
    const queues = createQueues(this, props, keys);
    const targets = createTargets(this, props, keys);
    const tables = createTables(this, props);
    const api = createApi(this, props, keys);
    const environment = {
      LULL_PUBLIC_URL: api.api.apiEndpoint,
      ...(props.config && { [CONFIG_VARIABLE]: JSON.stringify(props.config) }),
      ...props.environment,
      ...secretVariables(props.secrets),
      LULL_ENGINE: "aws",
      ...tableVariables(tables),
      ...queueVariables(queues),
      ...targetVariables(targets),
      POWERTOOLS_SERVICE_NAME: serviceName,
    };
    const functions: LullFunctions = createFunctions(this, props, keys, (name) => ({
      environment,
      statements: [
        ...tableStatements(name, tables),
        ...queueStatements(name, queues, keys),
        ...targetStatements(name, targets, keys),
        ...configQueueStatements(name, this, props),
        ...secretStatements(name, props),
      ],
    }));
    const webhook = targetOf("webhook", functions.webhook, props);
    const apiFunction = functions.api && targetOf("api", functions.api, props);
    const worker = targetOf("worker", functions.worker, props);
    routeTo(api, { webhook, api: apiFunction }, props);
    feedWorker(this, worker, queues, props);
    scheduleSweeper(this, functions.sweeper);
    const watched = { metrics: new LullMetrics(serviceName), api, functions, queues, targets, tables };
    this.alarms = createAlarms(this, watched, props.alarmTopic);
    this.dashboard = createDashboard(this, watched);
    this.url = environment.LULL_PUBLIC_URL;
    this.api = api.api;
    this.webhook = functions.webhook;
    this.apiFunction = functions.api;
    this.worker = functions.worker;
    this.sweeper = functions.sweeper;
    this.tables = tables;
    this.queues = Object.fromEntries(queues.map(({ channel, queue }) => [channel, queue]));
    this.deadLetterQueues = Object.fromEntries(queues.map(({ channel, dead }) => [channel, dead]));
    const ai = targets.find(({ name }) => name === "aiQueue");
    const handOff = targets.find(({ name }) => name === "handOffQueue");
    this.aiQueue = ai?.queue;
    this.aiDeadLetterQueue = ai?.dead;
    this.handOffQueue = handOff?.queue;
    this.handOffDeadLetterQueue = handOff?.dead;
  }

  #check(props: LullProps): void {
    const problems = problemsOf(props);
    if (problems.length > 0) throw new Error(`${this.node.path}: ${problems.join("; ")}`);
    for (const name of exposed(props)) {
      const advice = `${name} looks like a secret, and a template is no place for one: give it in "secrets".`;
      Annotations.of(this).addWarningV2("lull:secret-in-environment", advice);
    }
    for (const place of writtenOut(props.config)) {
      const advice =
        `${place} looks like a secret, and a template is no place for one: ` +
        'name it there, { env: "NAME" }, and give NAME in "secrets".';
      Annotations.of(this).addWarningV2("lull:secret-in-config", advice);
    }
    for (const missing of missingVariables(props)) {
      Annotations.of(this).addWarningV2("lull:variable-not-given", `${missing}: name it in "secrets".`);
    }
    for (const named of unreadable(props)) {
      const advice = `${named}: no function may read that secret unless it is in "secrets", under any name.`;
      Annotations.of(this).addWarningV2("lull:secret-not-granted", advice);
    }
    const shared = sharedTooWidely(props);
    if (shared.length > 0) {
      const advice =
        `${shared.join(", ")} can be read by functions that do not need them, ` +
        "because they share a secret: give each reader's a secret of its own.";
      Annotations.of(this).addWarningV2("lull:shared-secret", advice);
    }
  }
}
