import { AccessLogField, AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import { HttpApi, HttpMethod, HttpStage, LogGroupLogDestination } from "aws-cdk-lib/aws-apigatewayv2";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import { createLogGroup } from "./functions.ts";
import type { LullProps } from "./lull-props.ts";

const RATE = 100;
const BURST = 200;

/** What the service answers to. Anything else is refused by the gateway and costs no function. */
const ROUTES: readonly (readonly [path: string, method: HttpMethod])[] = [
  ["/webhooks/{proxy+}", HttpMethod.ANY],
  ["/api", HttpMethod.ANY],
  ["/api/{proxy+}", HttpMethod.ANY],
  ["/healthz", HttpMethod.GET],
  ["/readyz", HttpMethod.GET],
  ["/", HttpMethod.GET],
];

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
}

export function createApi(scope: Construct, props: LullProps): LullApi {
  const { rate = RATE, burst = BURST } = props.throttling ?? {};
  // The stage is made here: the one that an API makes by itself has neither limits nor a log.
  const api = new HttpApi(scope, "Api", { createDefaultStage: false });
  const stage = new HttpStage(scope, "Stage", {
    httpApi: api,
    stageName: "$default",
    autoDeploy: true,
    throttle: { rateLimit: rate, burstLimit: burst },
    accessLogSettings: {
      destination: new LogGroupLogDestination(createLogGroup(scope, "AccessLog", props)),
      format: ACCESS_LOG,
    },
  });
  return { api, stage };
}

export function routeTo(api: HttpApi, webhook: IFunction): void {
  const integration = new HttpLambdaIntegration("Webhook", webhook);
  for (const [path, method] of ROUTES) api.addRoutes({ path, methods: [method], integration });
}
