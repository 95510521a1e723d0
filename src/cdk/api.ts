import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  type CfnStage,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import { Token } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { aliasesInText } from "../schema/aliases.ts";
import { isObject } from "../schema/is-object.ts";
import { acknowledge, OPEN_ROUTES } from "./acknowledged.ts";
import type { Keys } from "./keys.ts";
import { createLogGroup } from "./logs.ts";
import type { LullProps, RateProps } from "./lull-props.ts";
import { PROP_DEFAULTS } from "./prop-table.ts";

const { throttling: RATES } = PROP_DEFAULTS;
type Throttle = keyof typeof RATES;

interface Route {
  readonly path: string;
  readonly method: HttpMethod;
  readonly throttle: Throttle;
}

/**
 * The routes of the service. The gateway refuses anything else, at no cost of a function. Each has a limit of
 * its own: a storm of status callbacks, visitors or health checks keeps no message out.
 */
const ROUTES: readonly Route[] = [
  // Greedy, so that a slash at the end, a common slip in a provider's console, loses nothing.
  { path: "/webhooks/{proxy+}", method: HttpMethod.POST, throttle: "webhooks" },
  { path: "/webhooks/{proxy+}", method: HttpMethod.GET, throttle: "feed" },
  { path: "/webhooks/{channel}/status", method: HttpMethod.POST, throttle: "status" },
  { path: "/healthz", method: HttpMethod.GET, throttle: "other" },
  { path: "/readyz", method: HttpMethod.GET, throttle: "other" },
  { path: "/", method: HttpMethod.GET, throttle: "other" },
  { path: "/api", method: HttpMethod.ANY, throttle: "api" },
  { path: "/api/{proxy+}", method: HttpMethod.ANY, throttle: "api" },
];

/** What is wrong with them, or not written out, has been reported by now (`check-props.ts`). */
function aliasesOf({ environment = {}, config = {} }: LullProps): string[] {
  const { LULL_ALIASES = "" } = environment;
  // As at run time: a variable counts instead of the file, and a blank one is none.
  if (LULL_ALIASES.trim() === "") return isObject(config.aliases) ? Object.keys(config.aliases) : [];
  const read = Token.isUnresolved(LULL_ALIASES) ? {} : aliasesInText(LULL_ALIASES);
  return typeof read === "string" ? [] : Object.keys(read);
}

/** A webhook at its old path is a webhook, with the same limits. */
function aliasRoutes(path: string): Route[] {
  return [
    { path, method: HttpMethod.POST, throttle: "webhooks" },
    { path, method: HttpMethod.GET, throttle: "feed" },
  ];
}

/** No path and no query: a path may name a person, and a query may hold a webhook's secret. No body, ever. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: AccessLogField.contextRequestId(),
    requestTime: AccessLogField.contextRequestTime(),
    ip: AccessLogField.contextIdentitySourceIp(),
    method: AccessLogField.contextHttpMethod(),
    route: AccessLogField.contextRouteKey(),
    status: AccessLogField.contextStatus(),
    responseLatency: AccessLogField.contextResponseLatency(),
    responseLength: AccessLogField.contextResponseLength(),
    integrationStatus: AccessLogField.contextIntegrationStatus(),
    integrationLatency: AccessLogField.contextIntegrationLatency(),
    integrationError: AccessLogField.contextIntegrationErrorMessage(),
    error: AccessLogField.contextErrorResponseType(),
  }),
);

export interface LullApi {
  readonly api: HttpApi;
  readonly stage: HttpStage;
  readonly accessLog: LogGroup;
  /** Old paths of webhooks. */
  readonly aliases: readonly string[];
}

export function createApi(scope: Construct, props: LullProps, keys: Keys): LullApi {
  const { rate, burst } = rateOf(props, "other");
  // The default stage of an API has neither limits nor a log, so the stage is made here.
  const api = new HttpApi(scope, "Api", { createDefaultStage: false });
  acknowledge(api, OPEN_ROUTES);
  const accessLog = createLogGroup(scope, "AccessLog", props, keys);
  const stage = new HttpStage(scope, "Stage", {
    httpApi: api,
    stageName: "$default",
    autoDeploy: true,
    throttle: { rateLimit: rate, burstLimit: burst },
    accessLogSettings: { destination: new LogGroupLogDestination(accessLog), format: ACCESS_LOG },
  });
  return { api, stage, accessLog, aliases: aliasesOf(props) };
}

/** What is not given comes from the defaults. */
function rateOf({ throttling = {} }: LullProps, throttle: Throttle): Required<RateProps> {
  const { rate = RATES[throttle].rate, burst = RATES[throttle].burst } =
    throttle === "webhooks" ? throttling : (throttling[throttle] ?? {});
  return { rate, burst };
}

/**
 * The gateway's routes, each to its function and with its limit. Without a function for the API there is no
 * route to `/api`.
 */
export function routeTo(
  { api, stage, aliases }: LullApi,
  { webhook, api: apiFunction }: { readonly webhook: IFunction; readonly api?: IFunction | undefined },
  props: LullProps,
): void {
  const toWebhook = new HttpLambdaIntegration("Webhook", webhook);
  const toApi = apiFunction && new HttpLambdaIntegration("ApiFunction", apiFunction);
  // CloudFormation takes this as it is: CDK does not change the case of these names.
  const settings: Record<string, Record<"ThrottlingRateLimit" | "ThrottlingBurstLimit", number>> = {};
  for (const { path, method, throttle } of [...ROUTES, ...aliases.flatMap(aliasRoutes)]) {
    const integration = throttle === "api" ? toApi : toWebhook;
    if (!integration) continue;
    const made = api.addRoutes({ path, methods: [method], integration });
    const { rate, burst } = rateOf(props, throttle);
    settings[`${method} ${path}`] = { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst };
    // A limit for a route that is not there yet would be refused.
    stage.node.addDependency(...made);
  }
  (stage.node.defaultChild as CfnStage).routeSettings = settings;
}
