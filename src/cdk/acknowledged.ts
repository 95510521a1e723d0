import { Validations } from "aws-cdk-lib/core";
import type { IConstruct } from "constructs";

interface Acknowledgement {
  readonly id: string;
  readonly reason: string;
}

/** What AWS's own rules for templates (cdk-nag, AwsSolutions) find here, and why it is so. */
export const OPEN_ROUTES: Acknowledgement = {
  id: "AwsSolutions-APIG4",
  reason:
    "Providers cannot pass an authorizer of the gateway. " +
    "Each webhook is proven by its signature in the function and the API by its token; " +
    "the page and the health checks are open to all.",
};

export const NO_RESOURCES: Acknowledgement = {
  id: "AwsSolutions-IAM5[Resource::*]",
  reason:
    "X-Ray's two actions, and those that Lambda needs for its interfaces in a VPC, know no resources. " +
    "All others name what they are for: a test reads every statement.",
};

export const DEPLOYING: Acknowledgement = {
  id:
    "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/" +
    "AWSCodeDeployRoleForLambdaLimited]",
  reason: "AWS's policy for shifting traffic between versions, made for this, and held by CodeDeploy alone.",
};

/**
 * Acknowledged on the construct itself, so that a user who runs the rules over a stack hears only of the
 * user's own parts.
 */
export function acknowledge(where: IConstruct, what: Acknowledgement): void {
  Validations.of(where).acknowledge(what);
}
