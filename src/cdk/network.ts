import { type IVpc, SecurityGroup } from "aws-cdk-lib/aws-ec2";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { FunctionOptions } from "aws-cdk-lib/aws-lambda";
import type { Construct } from "constructs";
import type { LullProps } from "./lull-props.ts";

/** Where functions run, and what their roles need to run there. */
export interface Network {
  readonly placed: Pick<FunctionOptions, "vpc" | "vpcSubnets" | "securityGroups">;
  readonly statements: readonly PolicyStatement[];
}

/**
 * Lambda creates and removes interfaces in the name of the function; EC2 takes no narrower resource for them.
 */
const INTERFACES = [
  "ec2:CreateNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:DeleteNetworkInterface",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

export function networkOf(scope: Construct, { network }: LullProps): Network {
  if (!network) return { placed: {}, statements: [] };
  const { subnets, securityGroups } = network;
  const vpc = network.vpc as IVpc;
  const description = "Functions of Lull: everything out, nothing in";
  const groups = securityGroups ?? [new SecurityGroup(scope, "SecurityGroup", { vpc, description })];
  return {
    placed: { vpc, securityGroups: groups, ...(subnets && { vpcSubnets: subnets }) },
    statements: [new PolicyStatement({ actions: INTERFACES, resources: ["*"] })],
  };
}
