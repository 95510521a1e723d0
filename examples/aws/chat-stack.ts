import { fileURLToPath } from "node:url";
import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { Lull } from "lull/cdk";

export class ChatStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    // Made beforehand. One for each circle of readers: a function may read the secrets that it needs, and rights know no fields.
    const twilio = Secret.fromSecretNameV2(this, "Twilio", "prod/chat/twilio");
    const api = Secret.fromSecretNameV2(this, "Api", "prod/chat/api");
    const lull = new Lull(this, "Lull", {
      entry: fileURLToPath(new URL("handlers.ts", import.meta.url)), // without it, the environment alone configures the functions
      channels: ["whatsapp"],
      environment: {
        TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000001",
        TWILIO_WHATSAPP_FROM: "+15550100",
      },
      secrets: {
        TWILIO_AUTH_TOKEN: twilio,
        LULL_API_TOKEN: api, // without it there is no /api
      },
      alarmTopic: new Topic(this, "Alarms", { enforceSSL: true }), // subscribe the person on call
    });
    // What you enter at Twilio. The part behind # makes Twilio try again when we fail.
    new CfnOutput(this, "WebhookUrl", { value: `${lull.url}/webhooks/whatsapp#rc=3&rp=all` });
  }
}
