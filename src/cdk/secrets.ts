import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { AnySecret, LullProps, SecretSource } from "./lull-props.ts";

type Secrets = NonNullable<LullProps["secrets"]>;

export function secretOf(source: SecretSource): { readonly secret: AnySecret; readonly key?: string } {
  return "secret" in source ? source : { secret: source };
}

/** `OPENAI_API_KEY` is told as `OPENAI_API_KEY_SECRET`: where it is, not what it is. */
export function secretVariables(secrets: Secrets = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([variable, source]) => {
      const { secret, key } = secretOf(source);
      // Without its last six characters an ARN may be taken for another secret's: the name is then the safer of the two.
      const where = secret.secretFullArn ?? secret.secretName;
      return [`${variable}_SECRET`, key === undefined ? where : `${where}#${key}`];
    }),
  );
}

export function secretStatements(secrets: Secrets = {}): PolicyStatement[] {
  const all = [...new Set(Object.values(secrets).map((source) => secretOf(source).secret))];
  if (all.length === 0) return [];
  const keys = [...new Set(all.flatMap(({ encryptionKey }) => encryptionKey ?? []))];
  return [
    new PolicyStatement({
      actions: ["secretsmanager:GetSecretValue"],
      // Secrets Manager ends every ARN with six characters of its own, which a name does not tell.
      resources: all.map((secret) => secret.secretFullArn ?? `${secret.secretArn}-??????`),
    }),
    ...keys.map(
      (key) =>
        new PolicyStatement({
          actions: ["kms:Decrypt"],
          resources: [key.keyArn],
          conditions: {
            StringEquals: { "kms:ViaService": `secretsmanager.${key.env.region}.amazonaws.com` },
          },
        }),
    ),
  ];
}
