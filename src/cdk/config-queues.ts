import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Fn, Stack, Token } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { queuePlaces } from "../config/resolve-settings.ts";
import { isObject } from "../schema/is-object.ts";
import type { FunctionName, LullProps } from "./lull-props.ts";

/** A queue that the configuration hands turns to. */
export interface ConfigQueue {
  /** `config.projects.acme.responder.queue`. */
  readonly where: string;
  readonly url: unknown;
  readonly answerWithinSeconds: unknown;
}

export function queuesIn({ config }: LullProps): ConfigQueue[] {
  return queuePlaces(config).map(({ keys, value }) => {
    const { url, answerWithinSeconds } = isObject(value) ? value : {};
    return { where: ["config", ...keys].join("."), url, answerWithinSeconds };
  });
}

/** At an endpoint of a VPC, too: `https://vpce-1.sqs.eu-west-1.vpce.amazonaws.com/111122223333/ai`. */
const URL_OF_QUEUE =
  /^https:\/\/[\w.-]*?\b([a-z]{2,}(?:-[a-z]+)+-\d)\.[\w.]+\/(\d{12})\/([\w-]+(?:\.fifo)?)\/?$/;

/** Region, account and name of the queue; undefined where they cannot be told from its URL. */
export function partsOf(url: unknown): readonly string[] | undefined {
  if (typeof url !== "string") return undefined;
  if (!Token.isUnresolved(url)) return URL_OF_QUEUE.exec(url)?.slice(1);
  // As the deployment will tell it, which is always `https://sqs.<region>.amazonaws.com/<account>/<name>`.
  const [region, account, name] = [
    Fn.select(1, Fn.split(".", url)),
    Fn.select(3, Fn.split("/", url)),
    Fn.select(4, Fn.split("/", url)),
  ];
  return [region, account, name];
}

/** Like the queues that are props: the worker writes there, and nothing else does anything. */
export function configQueueStatements(
  name: FunctionName,
  scope: Construct,
  props: LullProps,
): PolicyStatement[] {
  if (name !== "worker") return [];
  const queues = [...new Set(queuesIn(props).map(({ url }) => url))].flatMap((url) => {
    const parts = partsOf(url);
    return parts ? [parts.join(":")] : [];
  });
  if (queues.length === 0) return [];
  const { partition } = Stack.of(scope);
  const resources = [...new Set(queues)].map((queue) => `arn:${partition}:sqs:${queue}`);
  return [new PolicyStatement({ actions: ["sqs:SendMessage"], resources })];
}
