import { existsSync } from "node:fs";
import { type Duration, Token } from "aws-cdk-lib/core";
import type { LullProps } from "./lull-props.ts";
import { secretOf } from "./secrets.ts";
import { LULL_TABLES } from "./tables.ts";

/** The engine makes `my-channel` of `LULL_QUEUE_MY_CHANNEL`, so a name has to survive both ways. */
const CHANNEL = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const CHANNEL_LENGTH_MAX = 40;
const VARIABLE = /^[A-Za-z][A-Za-z0-9_]*$/;
/** Set here. Another value would point the functions at what their roles may not touch. */
const OURS = /^LULL_(ENGINE|TABLE_.+|QUEUE_.+)$/;
const SECRET_LOOKING = /(TOKEN|SECRET|PASSWORD|API_KEY)$/;

/** Everything that is wrong, in words. It is said at synth, where it costs seconds, and not by CloudFormation half an hour later. */
export function problemsOf(props: LullProps): string[] {
  return [
    ...channelProblems(props),
    ...environmentProblems(props),
    ...secretProblems(props),
    ...numberProblems(props),
    ...tableProblems(props),
    ...(props.entry !== undefined && !existsSync(props.entry)
      ? [`entry: there is no file ${props.entry}`]
      : []),
  ];
}

/** Variables whose value would be readable in the template and in the console. */
export function exposed({ environment = {} }: LullProps): string[] {
  return Object.keys(environment).filter((name) => SECRET_LOOKING.test(name));
}

function channelProblems({ channels = [] }: LullProps): string[] {
  return channels
    .filter((name) => !CHANNEL.test(name) || name.length > CHANNEL_LENGTH_MAX)
    .map(
      (name) =>
        `channels: "${name}" is no channel's name: up to ${CHANNEL_LENGTH_MAX} small letters, digits and single hyphens`,
    );
}

function environmentProblems({ environment = {} }: LullProps): string[] {
  return Object.keys(environment).flatMap((name) => {
    if (!VARIABLE.test(name)) return [`environment: "${name}" is no variable's name`];
    return OURS.test(name) ? [`environment: ${name} is set by the construct`] : [];
  });
}

function secretProblems({ secrets = {}, environment = {} }: LullProps): string[] {
  return Object.entries(secrets).flatMap(([name, source]) => {
    const { key } = secretOf(source);
    return [
      ...(VARIABLE.test(name) ? [] : [`secrets: "${name}" is no variable's name`]),
      ...(name in environment || `${name}_SECRET` in environment
        ? [`secrets: ${name} is in environment, too; give it once`]
        : []),
      ...(key === "" || key?.includes("#") ? [`secrets: ${name}: "${key}" is no key of a JSON secret`] : []),
    ];
  });
}

function numberProblems({ worker = {}, memorySize, throttling = {} }: LullProps): string[] {
  return [
    ...outside("worker.timeout in seconds", secondsOf(worker.timeout), 30, 900),
    ...outside("worker.memorySize", worker.memorySize, 128, 10_240),
    ...outside("worker.concurrency", worker.concurrency, 2, 1_000),
    ...outside("worker.batchSize", worker.batchSize, 1, 10),
    ...outside("memorySize", memorySize, 128, 10_240),
    ...outside("throttling.rate", throttling.rate, 1, 10_000),
    ...outside("throttling.burst", throttling.burst, 1, 5_000),
  ];
}

function secondsOf(duration: Duration | undefined): number | undefined {
  return duration === undefined || duration.isUnresolved()
    ? undefined
    : duration.toSeconds({ integral: false });
}

/** What is only known at deployment cannot be looked at now. */
function outside(name: string, value: number | undefined, least: number, most: number): string[] {
  if (value === undefined || Token.isUnresolved(value)) return [];
  const isFine = Number.isInteger(value) && value >= least && value <= most;
  return isFine ? [] : [`${name}: ${value} is not a whole number from ${least} to ${most}`];
}

function tableProblems({ tables = {} }: LullProps): string[] {
  const known: readonly string[] = LULL_TABLES;
  return Object.keys(tables)
    .filter((name) => !known.includes(name))
    .map((name) => `tables: there is no table "${name}", only ${LULL_TABLES.join(", ")}`);
}
