import { LambdaDeploymentGroup } from "aws-cdk-lib/aws-codedeploy";
import {
  Alias,
  type IFunction,
  type IVersion,
  type Function as LambdaFunction,
} from "aws-cdk-lib/aws-lambda";
import { acknowledge, DEPLOYING } from "./acknowledged.ts";
import type { ConcurrencyProps, FunctionName, LullProps } from "./lull-props.ts";

export function concurrencyOf({ concurrency = {} }: LullProps, name: FunctionName): ConcurrencyProps {
  return name === "sweeper" ? {} : (concurrency[name] ?? {});
}

/** What events are sent to: the function itself, or a name for one of its versions where versions matter. */
export function targetOf(name: FunctionName, target: LambdaFunction, props: LullProps): IFunction {
  const { provisioned } = concurrencyOf(props, name);
  const { deployment } = props;
  // The sweeper runs once a minute: there is no traffic to shift, and no caller waits for it.
  if (name === "sweeper" || (provisioned === undefined && !deployment)) return target;
  const scope = target.node.scope!;
  const alias = new Alias(scope, "Live", {
    aliasName: "live",
    version: target.currentVersion as IVersion,
    ...(provisioned !== undefined && { provisionedConcurrentExecutions: provisioned }),
  });
  if (deployment) {
    const alarm = alias.metricErrors().createAlarm(scope, "NewVersionFails", {
      alarmDescription: `The function ${name} fails: a new version that is being deployed goes back.`,
      threshold: 1,
      evaluationPeriods: 1,
    });
    const group = { alias, deploymentConfig: deployment, alarms: [alarm] };
    acknowledge(new LambdaDeploymentGroup(scope, "Deployment", group), DEPLOYING);
  }
  return alias as IFunction;
}
