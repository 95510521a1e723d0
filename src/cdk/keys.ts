import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { Annotations, ArnFormat, Stack } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import type { LullProps } from "./lull-props.ts";

/** The customer's own keys. Absent: AWS's. */
export interface Keys {
  readonly tables: IKey | undefined;
  readonly queues: IKey | undefined;
  readonly logs: IKey | undefined;
}

export function keysFrom(scope: Construct, props: LullProps): Keys {
  const { encryptionKey, logEncryptionKey = encryptionKey, queueEncryptionKey = encryptionKey } = props;
  if (logEncryptionKey) letLogsUse(scope, logEncryptionKey);
  return { tables: encryptionKey, queues: queueEncryptionKey, logs: logEncryptionKey };
}

/**
 * CloudWatch uses the key in its own name, so the key's policy has to allow it. Only for log groups of this
 * account.
 */
function letLogsUse(scope: Construct, key: IKey): void {
  const stack = Stack.of(scope);
  const groups = stack.formatArn({
    service: "logs",
    resource: "log-group",
    resourceName: "*",
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const { statementAdded } = key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${stack.region}.amazonaws.com`)],
      actions: ["kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:Describe*"],
      resources: ["*"],
      conditions: { ArnLike: { "kms:EncryptionContext:aws:logs:arn": groups } },
    }),
    true,
  );
  if (statementAdded) return;
  const advice =
    "the key of the logs was not made here: its policy has to let " +
    `logs.${stack.region}.amazonaws.com use it, or nothing is deployed.`;
  Annotations.of(scope).addWarningV2("lull:log-key", advice);
}

const USE = ["kms:Decrypt", "kms:GenerateDataKey"];

/** Senders to and receivers from a queue under a customer's key use that key through SQS. */
export function queueKeyStatement(key: IKey): PolicyStatement {
  const conditions = { StringEquals: { "kms:ViaService": `sqs.${key.env.region}.amazonaws.com` } };
  return new PolicyStatement({ actions: USE, resources: [key.keyArn], conditions });
}
