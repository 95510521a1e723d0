import { LogGroup, RetentionDays } from "aws-cdk-lib/aws-logs";
import { RemovalPolicy } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { Keys } from "./keys.ts";
import type { LullProps } from "./lull-props.ts";

export function createLogGroup(scope: Construct, id: string, props: LullProps, { logs }: Keys): LogGroup {
  return new LogGroup(scope, id, {
    retention: props.logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: props.removalPolicy ?? RemovalPolicy.RETAIN,
    ...(logs && { encryptionKey: logs }),
  });
}
