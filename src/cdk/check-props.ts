import { existsSync, readFileSync } from "node:fs";
import { type Duration, Token } from "aws-cdk-lib/core";
import { problemsInVariables } from "../config/resolve-settings.ts";
import { hasApi, WORKER_CONCURRENCY } from "./functions.ts";
import type { LullProps, RateProps } from "./lull-props.ts";
import { secretOf } from "./secrets.ts";
import { LULL_TABLES } from "./tables.ts";

/** The engine turns `LULL_QUEUE_MY_CHANNEL` into `my-channel`, so a name has to survive both ways. */
const CHANNEL = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const CHANNEL_LENGTH_MAX = 40;
const VARIABLE = /^[A-Za-z][A-Za-z0-9_]*$/;
/** Set here. Another value would point the functions at resources that their roles may not touch. */
const OURS = /^LULL_(ENGINE|TABLE_.+|QUEUE_.+)$/;
const SECRET_LOOKING = /(TOKEN|SECRET|PASSWORD|API_KEY)$/;

/**
 * Everything that is wrong, in words. Reported at synth, which takes seconds, instead of by CloudFormation
 * half an hour later.
 */
export function problemsOf(props: LullProps): string[] {
  return [
    ...channelProblems(props),
    ...environmentProblems(props),
    ...secretProblems(props),
    ...numberProblems(props),
    ...concurrencyProblems(props),
    ...tableProblems(props),
    ...entryProblems(props),
    ...publicProblems(props),
  ];
}

/** Variables whose value would be readable in the template and in the console. */
export function exposed({ environment = {} }: LullProps): string[] {
  return Object.keys(environment).filter((name) => SECRET_LOOKING.test(name));
}

function entryProblems(props: LullProps): string[] {
  const { entry } = props;
  if (entry === undefined) return [];
  if (!existsSync(entry)) return [`entry: there is no file ${entry}`];
  if (!hasApi(props)) return [];
  const source = readFileSync(entry, "utf8");
  // Read, not run. What another file re-exports cannot be seen here.
  const mayExport = /\bapi\b/.test(source) || /export\s*\*/.test(source);
  return mayExport
    ? []
    : [`entry: ${entry} exports no "api", which /api needs; export it beside the others, or say api: false`];
}

/** What a public service refuses to start with. The functions would refuse every webhook. */
function publicProblems({ environment = {}, secrets = {} }: LullProps): string[] {
  const has = (name: string) => name in environment || name in secrets || `${name}_SECRET` in environment;
  const isOn = (name: string) => /^(1|true|yes|on)$/i.test(environment[name] ?? "");
  if (!isOn("LULL_WEB") || has("LULL_WEB_SECRET") || isOn("LULL_WEB_UNSIGNED")) return [];
  return [
    "environment: LULL_WEB without LULL_WEB_SECRET: any caller could write and read as any visitor; " +
      "give the secret and sign visitors, or LULL_WEB_UNSIGNED=1 if that does not matter",
  ];
}

function channelProblems({ channels = [] }: LullProps): string[] {
  return channels
    .filter((name) => !CHANNEL.test(name) || name.length > CHANNEL_LENGTH_MAX)
    .map(
      (name) =>
        `channels: "${name}" is no channel's name: up to ${CHANNEL_LENGTH_MAX} small letters, ` +
        "digits and single hyphens",
    );
}

function environmentProblems({ environment = {} }: LullProps): string[] {
  const names = Object.keys(environment).flatMap((name) => {
    if (!VARIABLE.test(name)) return [`"${name}" is no variable's name`];
    return OURS.test(name) ? [`${name} is set by the construct`] : [];
  });
  // A value that is only known at deployment cannot be checked now.
  const known = Object.entries(environment).filter(([, value]) => !Token.isUnresolved(value));
  return [...names, ...problemsInVariables(Object.fromEntries(known))].map(
    (problem) => `environment: ${problem}`,
  );
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

const RESERVED_MAX = 100_000;

function concurrencyProblems({ concurrency = {}, worker = {}, channels = [] }: LullProps): string[] {
  const problems = Object.entries(concurrency).flatMap(([name, { reserved, provisioned }]) => [
    ...outside(`concurrency.${name}.reserved`, reserved, 1, RESERVED_MAX),
    ...outside(`concurrency.${name}.provisioned`, provisioned, 1, knownOr(reserved, RESERVED_MAX)),
  ]);
  const { reserved } = concurrency.worker ?? {};
  const queues = new Set(["default", ...channels]).size;
  const wanted = queues * (worker.concurrency ?? WORKER_CONCURRENCY);
  const isKnown =
    typeof reserved === "number" && !Token.isUnresolved(reserved) && !Token.isUnresolved(wanted);
  return isKnown && reserved < wanted
    ? [
        ...problems,
        `concurrency.worker.reserved: ${reserved} is less than the ${wanted} that its ${queues} queues ` +
          "may want at once (worker.concurrency for each): " +
          "triggers would be turned away, and end among the dead",
      ]
    : problems;
}

function knownOr(value: number | undefined, otherwise: number): number {
  return value === undefined || Token.isUnresolved(value) ? otherwise : value;
}

function rateProblems(name: string, { rate, burst }: RateProps = {}): string[] {
  return [
    ...outside(`throttling.${name}rate`, rate, 1, 100_000),
    ...outside(`throttling.${name}burst`, burst, 1, 50_000),
  ];
}

function numberProblems({ worker = {}, memorySize, throttling = {} }: LullProps): string[] {
  return [
    ...outside("worker.timeout in seconds", secondsOf(worker.timeout), 30, 900),
    ...outside("worker.memorySize", worker.memorySize, 128, 10_240),
    ...outside("worker.concurrency", worker.concurrency, 2, 1_000),
    ...outside("worker.batchSize", worker.batchSize, 1, 10),
    ...outside("memorySize", memorySize, 128, 10_240),
    ...rateProblems("", throttling),
    ...(["status", "feed", "api", "other"] as const).flatMap((name) =>
      rateProblems(`${name}.`, throttling[name]),
    ),
  ];
}

function secondsOf(duration: Duration | undefined): number | undefined {
  return duration === undefined || duration.isUnresolved()
    ? undefined
    : duration.toSeconds({ integral: false });
}

/** A value that is only known at deployment cannot be checked now. */
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
