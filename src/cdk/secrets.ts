import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { readersIn } from "./config-secrets.ts";
import type { FunctionName, LullProps } from "./lull-props.ts";
import { secretOf } from "./secret-source.ts";

type Secrets = NonNullable<LullProps["secrets"]>;

/**
 * Who reads what. The webhook function checks signatures, the worker talks to providers and models, and the
 * sweeper to neither.
 */
const READERS: Readonly<Record<string, readonly FunctionName[]>> = {
  TWILIO_AUTH_TOKEN: ["webhook", "worker"],
  WATI_WEBHOOK_SECRET: ["webhook"],
  WATI_TOKEN: ["worker"],
  LULL_WEB_SECRET: ["webhook"],
  OPENAI_API_KEY: ["worker"],
  LULL_API_TOKEN: ["api"],
  LULL_TURN_TOKEN: ["api"],
};
/** For names of your own that no configuration mentions: a channel of yours may check and send with them. */
const OTHERS: readonly FunctionName[] = ["webhook", "worker"];

/** Of each variable. */
type Readers = ReadonlyMap<string, readonly FunctionName[]>;

function readersOf({ config, secrets = {} }: Pick<LullProps, "config" | "secrets">): Readers {
  const entries = Object.entries(secrets).map(([variable, source]) => {
    const known = READERS[variable] ?? readersIn(config, variable, secretOf(source)) ?? OTHERS;
    return [variable, secretOf(source).for ?? known] as const;
  });
  return new Map(entries);
}

/** `OPENAI_API_KEY` is passed as `OPENAI_API_KEY_SECRET`: where it is, not what it is. */
export function secretVariables(secrets: Secrets = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(secrets).map(([variable, source]) => {
      const { secret, key } = secretOf(source);
      // Without its last six characters an ARN may match another secret's: the name is then the safer of the
      // two.
      const where = secret.secretFullArn ?? secret.secretName;
      return [`${variable}_SECRET`, key === undefined ? where : `${where}#${key}`];
    }),
  );
}

/**
 * Variables whose secret is read by a function that does not need them: they are fields of one secret, and
 * rights know no fields.
 */
export function sharedTooWidely(props: LullProps): string[] {
  const { secrets = {} } = props;
  const readers = readersOf(props);
  const entries = Object.entries(secrets);
  return entries
    .filter(([variable, source]) => {
      const own = readers.get(variable) ?? [];
      const { secret } = secretOf(source);
      const beside = entries.filter(([, other]) => secretOf(other).secret === secret);
      return beside.some(([name]) => readers.get(name)?.some((reader) => !own.includes(reader)));
    })
    .map(([variable]) => variable);
}

export function secretStatements(name: FunctionName, props: LullProps): PolicyStatement[] {
  const readers = readersOf(props);
  const needed = Object.entries(props.secrets ?? {}).filter(([variable]) =>
    readers.get(variable)?.includes(name),
  );
  const all = [...new Set(needed.map(([, source]) => secretOf(source).secret))];
  if (all.length === 0) return [];
  const keys = [...new Set(all.flatMap(({ encryptionKey }) => encryptionKey ?? []))];
  return [
    new PolicyStatement({
      actions: ["secretsmanager:GetSecretValue"],
      // Secrets Manager ends every ARN with six random characters, which a name does not include.
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
