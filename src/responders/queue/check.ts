import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import type { Finding } from "../../ports/check-result.ts";
import { kindOf } from "../../wire/aws-errors.ts";
import { found } from "../../wire/finding.ts";
import { failure } from "./failure.ts";

/** Whether the queue is there. Only a message would tell whether we may write to it, and be read as one. */
export async function check(client: SQSClient, url: string, signal: AbortSignal): Promise<Finding[]> {
  try {
    const command = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["QueueArn"] });
    await client.send(command, { abortSignal: signal });
    return [
      found("ok", `queue; ${url} is there. No message was sent, so whether we may write there is not known`),
    ];
  } catch (error) {
    if (kindOf(error) === "forbidden")
      return [found("skip", `queue; ${url} was not asked: sqs:GetQueueAttributes is not allowed`)];
    if (signal.aborted) return [found("fail", `queue; SQS does not answer at ${new URL(url).host}`)];
    return [found("fail", `queue; ${failure(error).message}: ${url}`)];
  }
}
