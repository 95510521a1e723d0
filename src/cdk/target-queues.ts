import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { IQueue, Queue } from "aws-cdk-lib/aws-sqs";
import { Duration } from "aws-cdk-lib/core";
import type { Construct } from "constructs";
import { type Keys, queueKeyStatement } from "./keys.ts";
import type { FunctionName, LullProps } from "./lull-props.ts";
import { createPair } from "./queues.ts";

interface Target {
  /** Its construct's id, and what its alarms are called. */
  readonly id: string;
  /** The variable that tells the functions its URL. */
  readonly variable: string;
  /** What the configuration says instead. */
  readonly inConfig: readonly string[];
  /** A turn that waits there for longer is told. */
  readonly lateAfter: Duration;
}

/**
 * Queues that turns are handed to. A customer waits for the AI's answer; what people have may wait for them
 * over a long lunch, but not for a working day.
 */
export const TARGETS = {
  aiQueue: {
    id: "AiQueue",
    variable: "LULL_AI_QUEUE",
    inConfig: ["respond", "responder"],
    lateAfter: Duration.minutes(10),
  },
  handOffQueue: {
    id: "HandOffQueue",
    variable: "LULL_HANDOFF_QUEUE",
    inConfig: ["handOffTo"],
    lateAfter: Duration.hours(4),
  },
} as const satisfies Partial<Record<keyof LullProps, Target>>;

export type TargetName = keyof typeof TARGETS;
export const TARGET_NAMES = Object.keys(TARGETS) as readonly TargetName[];

export interface TargetQueue extends Target {
  readonly name: TargetName;
  readonly queue: IQueue;
  /** Where it was made here. A queue that was given has an owner, who watches it. */
  readonly dead?: Queue;
}

/**
 * Lambda lets a function read a queue that hides messages for at least the function's timeout: any may read
 * this one. A reader that wants a failed turn back sooner makes it visible, or has a queue of its own.
 */
const VISIBILITY = Duration.minutes(15);
/** As long as an answer may be waited for. */
const RETENTION = Duration.days(7);

export function createTargets(scope: Construct, props: LullProps, keys: Keys): TargetQueue[] {
  return TARGET_NAMES.flatMap((name) => {
    const given = props[name];
    if (given === undefined || given === false) return [];
    const target = { name, ...TARGETS[name] };
    if (given !== true) return [{ ...target, queue: given }];
    const ids = { queue: target.id, dead: `${target.id}Dead` };
    const times = { visibilityTimeout: VISIBILITY, retentionPeriod: RETENTION };
    return [{ ...target, ...createPair(scope, ids, times, keys) }];
  });
}

export function targetVariables(targets: readonly TargetQueue[]): Record<string, string> {
  return Object.fromEntries(targets.map(({ variable, queue }) => [variable, queue.queueUrl]));
}

/** Only turns are handed over, and only the worker takes turns. */
export function targetStatements(
  name: FunctionName,
  targets: readonly TargetQueue[],
  keys: Keys,
): PolicyStatement[] {
  if (name !== "worker" || targets.length === 0) return [];
  const ownKeys = new Set(targets.flatMap(({ queue }) => queue.encryptionMasterKey ?? []));
  // The key of our own queues it may use already.
  if (keys.queues) ownKeys.delete(keys.queues);
  return [
    ...[...ownKeys].map(queueKeyStatement),
    new PolicyStatement({
      actions: ["sqs:SendMessage"],
      resources: [...new Set(targets.map(({ queue }) => queue.queueArn))],
    }),
  ];
}
