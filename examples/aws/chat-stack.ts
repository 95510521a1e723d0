import { fileURLToPath } from "node:url";
import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { Lull } from "lull/cdk";

export class ChatStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    // Made beforehand, as JSON: { "authToken": "...", "apiToken": "..." }
    const secret = Secret.fromSecretNameV2(this, "Secret", "prod/chat");
    const lull = new Lull(this, "Lull", {
      entry: fileURLToPath(new URL("handlers.ts", import.meta.url)), // without it, the environment alone configures the functions
      channels: ["whatsapp"],
      environment: {
        TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000001",
        TWILIO_WHATSAPP_FROM: "+15550100",
      },
      secrets: {
        TWILIO_AUTH_TOKEN: { secret, key: "authToken" },
        LULL_API_TOKEN: { secret, key: "apiToken" },
      },
      alarmTopic: new Topic(this, "Alarms", { enforceSSL: true }), // subscribe whoever is on call
    });
    // What you enter at Twilio. The part behind # makes Twilio try again when we fail.
    new CfnOutput(this, "WebhookUrl", { value: `${lull.url}/webhooks/whatsapp#rc=3&rp=all` });
  }
}
