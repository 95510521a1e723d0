import type { Choices } from "./choices.ts";
import { channelCode, importLines, responderCode } from "./config-file.ts";

/** What the functions bring along, and what deploys them. */
export const AWS_PACKAGES = {
  dependencies: [
    "@aws-lambda-powertools/batch",
    "@aws-lambda-powertools/logger",
    "@aws-lambda-powertools/metrics",
    "@aws-lambda-powertools/parameters",
    "@aws-lambda-powertools/tracer",
    "@aws-sdk/client-dynamodb",
    "@aws-sdk/client-secrets-manager",
    "@aws-sdk/client-sqs",
    "@aws-sdk/util-dynamodb",
    "aws-cdk-lib",
    "constructs",
  ],
  devDependencies: ["aws-cdk", "esbuild"],
} as const;

/** Plain variables of a channel, and those that are secrets. */
const VARIABLES: Readonly<
  Record<Choices["channel"], { plain: readonly string[]; secret: readonly string[] }>
> = {
  web: { plain: [], secret: ["LULL_WEB_SECRET"] },
  whatsapp: { plain: ["TWILIO_ACCOUNT_SID", "TWILIO_WHATSAPP_FROM"], secret: ["TWILIO_AUTH_TOKEN"] },
  sms: { plain: ["TWILIO_ACCOUNT_SID", "TWILIO_SMS_FROM"], secret: ["TWILIO_AUTH_TOKEN"] },
  wati: { plain: ["WATI_API_URL"], secret: ["WATI_TOKEN", "WATI_WEBHOOK_SECRET"] },
};
const EXAMPLES: Readonly<Record<string, string>> = {
  TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000001",
  TWILIO_WHATSAPP_FROM: "+15550100",
  TWILIO_SMS_FROM: "+15550100",
  WATI_API_URL: "https://live-server-1.wati.example/1",
};

export function awsFiles(choices: Choices): Readonly<Record<string, string>> {
  return { "cdk.json": CDK_JSON, "aws/app.ts": app(choices), "aws/handlers.ts": handlers(choices) };
}

const CDK_JSON = '{ "app": "node aws/app.ts" }\n';

function secretsOf({ channel, responder }: Choices): readonly string[] {
  return [
    ...VARIABLES[channel].secret,
    ...(responder === "openai" ? ["OPENAI_API_KEY"] : []),
    "LULL_API_TOKEN",
  ];
}

const APP_IMPORTS = [
  'import { fileURLToPath } from "node:url";',
  'import { App, CfnOutput, Stack } from "aws-cdk-lib";',
  'import { Secret } from "aws-cdk-lib/aws-secretsmanager";',
  'import { Lull } from "lull/cdk";',
];

function app(choices: Choices): string {
  const { channel } = choices;
  const plain = VARIABLES[channel].plain.map((name) => `    ${name}: "${EXAMPLES[name]}", // say yours`);
  const secrets = secretsOf(choices).map((name) => `    ${name}: secret("${name}"),`);
  const path = channel === "whatsapp" || channel === "sms" ? `${channel}#rc=3&rp=all` : channel;
  return `// The stack: npx cdk deploy. Its secrets are made beforehand, each on its own:
//   aws secretsmanager create-secret --name prod/chat/${secretsOf(choices)[0]} --secret-string '...'

${importLines(APP_IMPORTS)}

// Say your account and region.
const stack = new Stack(new App(), "Chat", { env: { account: "111122223333", region: "eu-west-1" } });
const secret = (name: string) => Secret.fromSecretNameV2(stack, name, \`prod/chat/\${name}\`);

const lull = new Lull(stack, "Lull", {
  entry: fileURLToPath(new URL("handlers.ts", import.meta.url)),
  channels: ["${channel}"],
  environment: {${plain.length > 0 ? `\n${plain.join("\n")}\n  ` : ""}},
  secrets: {
${secrets.join("\n")}
  },
});
new CfnOutput(stack, "WebhookUrl", { value: \`\${lull.url}/webhooks/${path}\` });
`;
}

function handlers(choices: Choices): string {
  const channel = channelCode(choices);
  const responder = responderCode(choices);
  const imports = [
    'import { aws } from "lull/aws";',
    'import { lambdaHandlers } from "lull/lambda";',
    'import { secretsManager } from "lull/secrets-manager";',
    channel.import,
    ...responder.imports.map((line) => line.replace('"./', '"../')),
  ];
  const named = (name: string) => `{ name: variable("${name}_SECRET") }`;
  return `// What the functions run. The construct tells them by variables where everything is.

${importLines(imports)}

export const { webhook, api, worker, sweeper } = lambdaHandlers(() => ({
  engine: aws(),
  secrets: secretsManager(),
  channels: { ${channel.entry.replace("()", `({ ${secretOptions(choices, named)} })`)} },
  window: { quietSeconds: 4, maxSeconds: 20 },
  publicUrl: variable("LULL_PUBLIC_URL"),
  apiToken: ${named("LULL_API_TOKEN")},
  ${responderLine(choices, responder.code, named)},
}));

function variable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(\`\${name} is not set\`);
  return value;
}
`;
}

function secretOptions({ channel }: Choices, named: (name: string) => string): string {
  if (channel === "web") return `secret: ${named("LULL_WEB_SECRET")}`;
  if (channel === "wati")
    return `token: ${named("WATI_TOKEN")}, webhookSecret: ${named("WATI_WEBHOOK_SECRET")}`;
  return `authToken: ${named("TWILIO_AUTH_TOKEN")}`;
}

function responderLine({ responder }: Choices, code: string, named: (name: string) => string): string {
  if (responder === "function") return "respond";
  if (responder === "openai") return `respond: openai({ ...assistant, apiKey: ${named("OPENAI_API_KEY")} })`;
  return `respond: ${code}`;
}
