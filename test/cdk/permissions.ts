import type { Template } from "aws-cdk-lib/assertions";
import { TABLES } from "../../src/engines/aws/dynamo/tables.ts";
import { functionsOf, resourcesOf } from "./synthesis.ts";

export interface Statement {
  readonly caller: string;
  readonly actions: readonly string[];
  /** As in the template: text, or a way to come by it. */
  readonly resources: readonly unknown[];
}

/** What the role of each function allows. */
export function statementsIn(template: Template): Statement[] {
  const policies = Object.values(resourcesOf(template, "AWS::IAM::Policy"));
  return Object.entries(functionsOf(template)).flatMap(([caller, { Properties }]) => {
    const role = Properties.Role["Fn::GetAtt"][0];
    return policies
      .filter((policy) => policy.Properties.Roles.some(({ Ref }: { Ref: string }) => Ref === role))
      .flatMap((policy) => policy.Properties.PolicyDocument.Statement)
      .map(({ Action, Resource }) => ({
        caller,
        actions: [Action].flat(),
        resources: [Resource].flat(),
      }));
  });
}

/**
 * What each function may ask DynamoDB for, in words:
 * `worker dynamodb:Query conversations-state/index/leased`.
 */
export function tablePermissions(template: Template): Set<string> {
  const names = tableNames(template);
  const permissions = statementsIn(template).flatMap(({ caller, actions, resources }) =>
    actions
      .filter((action) => action.startsWith("dynamodb:"))
      .flatMap((action) =>
        resources.map((resource) => `${caller} ${action} ${tableResource(resource, names)}`),
      ),
  );
  return new Set(permissions);
}

/** By logical id: the functions are told which table is which. */
function tableNames(template: Template): Map<string, string> {
  const { Variables } = functionsOf(template).worker!.Properties.Environment;
  return new Map(Object.values(TABLES).map(({ name, env }) => [Variables[env].Ref, name]));
}

interface Arn {
  readonly "Fn::GetAtt"?: readonly [id: string, attribute: string];
  readonly "Fn::Join"?: readonly ["", readonly [Arn, string]];
}

function tableResource(resource: unknown, names: Map<string, string>): string {
  const { "Fn::GetAtt": attribute, "Fn::Join": join } = resource as Arn;
  if (join) return `${tableResource(join[1][0], names)}${join[1][1]}`;
  return names.get(attribute?.[0] ?? "") ?? JSON.stringify(resource);
}
