import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction } from "aws-cdk-lib/aws-events-targets";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { Duration } from "aws-cdk-lib/core";
import type { Construct } from "constructs";

export const SWEEP_EVERY = Duration.minutes(1);

/** One try and one more: a round that is late by then is the next round. */
export function scheduleSweeper(scope: Construct, sweeper: IFunction): Rule {
  return new Rule(scope, "SweepSchedule", {
    description: "Looks for messages that would get no answer",
    schedule: Schedule.rate(SWEEP_EVERY),
    targets: [new LambdaFunction(sweeper, { retryAttempts: 1, maxEventAge: SWEEP_EVERY })],
  });
}
