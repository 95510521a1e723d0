import { type Stack, Validations } from "aws-cdk-lib";
import { LambdaDeploymentConfig } from "aws-cdk-lib/aws-codedeploy";
import { Vpc } from "aws-cdk-lib/aws-ec2";
import { Key } from "aws-cdk-lib/aws-kms";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, test } from "vitest";
import { Lull, type LullProps } from "../../src/cdk/index.ts";
import { newStack } from "./synthesis.ts";

const PLAIN = (): LullProps => ({});
/** Every option that makes something more. */
const WHOLE = (stack: Stack): LullProps => ({
  api: true,
  aiQueue: true,
  handOffQueue: true,
  channels: ["whatsapp", "sms"],
  encryptionKey: new Key(stack, "Key"),
  network: { vpc: new Vpc(stack, "Vpc") },
  concurrency: { webhook: { reserved: 10, provisioned: 2 } },
  deployment: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
  warmThroughput: { stage: { writeUnitsPerSecond: 8_000 } },
  secrets: {
    OPENAI_API_KEY: Secret.fromSecretNameV2(stack, "Named", "prod/openai"),
    LULL_API_TOKEN: new Secret(stack, "Made"),
  },
});

const made = (propsIn: (stack: Stack) => LullProps) => {
  const stack = newStack();
  return new Lull(stack, "Lull", propsIn(stack));
};

function found(lull: Lull, { heedless = false } = {}): string[] {
  const rules = new AwsSolutionsChecks();
  if (heedless) Object.assign(rules, { isAcknowledged: () => false });
  const { violations } = rules.validateScope(lull);
  return violations.flatMap(({ ruleName, violatingResources }) =>
    violatingResources.map(({ constructPath }) => `${ruleName} ${constructPath}`),
  );
}

/** By id, the reasons that were given. */
function acknowledged(lull: Lull): Map<string, string> {
  const entries = lull.node.findAll().flatMap(({ node }) => node.metadata);
  const told = entries.filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY);
  return new Map(
    told.flatMap(({ data }) =>
      Object.entries(data as Record<string, string>).map(
        ([id, reason]) => [id.replace(/^annotation::/i, ""), reason] as const,
      ),
    ),
  );
}

describe.each([
  ["the defaults", PLAIN],
  ["every option", WHOLE],
])("AWS's own rules for templates, over %s,", (_, propsIn) => {
  test("find nothing that is not said and explained", () => {
    expect(found(made(propsIn))).toEqual([]);
  });

  test("would find each of what is said, and no more is said than that", () => {
    const lull = made(propsIn);
    const ids = new Set(found(lull, { heedless: true }).map((line) => line.split(" ")[0]));
    const said = acknowledged(lull);
    expect(ids).toEqual(new Set(said.keys()));
    for (const reason of said.values()) expect(reason).toMatch(/^.{40,}\.$/);
  });
});
