import { existsSync, readFileSync } from "node:fs";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { type Duration, Token } from "aws-cdk-lib/core";
import { CONFIG_VARIABLE, problemsInContent, problemsInVariables } from "../config/resolve-settings.ts";
import { isObject } from "../schema/is-object.ts";
import { SECONDS } from "../schema/limits.ts";
import { problemsIn, TO_PEOPLE } from "../schema/problems.ts";
import type { Schema } from "../schema/schema.ts";
import { type ConfigQueue, partsOf, queuesIn } from "./config-queues.ts";
import { hasApi } from "./functions.ts";
import type { LullProps } from "./lull-props.ts";
import { CONFIG_BYTES_MAX, PROP_DEFAULTS, PROPS_SCHEMA } from "./prop-table.ts";
import { holdsTriggers } from "./queues.ts";
import { secretOf } from "./secret-source.ts";
import { TARGET_NAMES, TARGETS, type TargetName } from "./target-queues.ts";

/** The engine turns `LULL_QUEUE_MY_CHANNEL` into `my-channel`, so a name has to survive both ways. */
const CHANNEL = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const CHANNEL_LENGTH_MAX = 40;
const VARIABLE = /^[A-Za-z][A-Za-z0-9_]*$/;
/** Set here. Another value would point the functions at resources that their roles may not touch. */
const OURS = /^LULL_(ENGINE|TABLE_.+|QUEUE_.+)$/;
const ANSWER_SECONDS = "LULL_AI_QUEUE_ANSWER_SECONDS";
const ALIASES = "LULL_ALIASES";
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
    ...problemsIn(known(props, PROPS_SCHEMA), PROPS_SCHEMA, "", TO_PEOPLE),
    ...concurrencyProblems(props),
    ...entryProblems(props),
    ...configProblems(props),
    ...publicProblems(props),
    ...TARGET_NAMES.flatMap((name) => targetProblems(name, props)),
    ...answerProblems(props),
    ...queuesIn(props).flatMap((queue) => queueProblems(queue, props)),
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

function configProblems({ config, entry, environment = {} }: LullProps): string[] {
  // As text it would be read by the functions alone: no route, no right and no check would follow from it.
  if (CONFIG_VARIABLE in environment) return [`environment: ${CONFIG_VARIABLE}: give it as config`];
  if (config === undefined) return [];
  const bytes = Buffer.byteLength(JSON.stringify(config));
  return [
    ...(entry === undefined ? [] : ["config is for Lull's own functions; an entry brings its configuration"]),
    ...(bytes <= CONFIG_BYTES_MAX
      ? []
      : [`config has ${bytes} bytes; a function's variables have room for ${CONFIG_BYTES_MAX}: use entry`]),
    ...(config.aliases !== undefined && environment[ALIASES]?.trim()
      ? [`config: aliases: ${ALIASES} is in environment, too, and counts alone; give it once`]
      : []),
    ...problemsInContent(config, "config"),
  ];
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

/** What a turn is handed to. Among triggers it would be read as poison. */
function targetProblems(name: TargetName, props: LullProps): string[] {
  const given: unknown = props[name];
  const { variable } = TARGETS[name];
  if (given === undefined || given === false) return [];
  const isQueue = isObject(given) && "queueArn" in given;
  return [
    ...(given === true || isQueue ? [] : [`${name} must be true, or a queue of aws-cdk-lib/aws-sqs`]),
    ...(isQueue && holdsTriggers(given as unknown as IQueue)
      ? [`${name}: this queue holds triggers, which a turn is not; hand turns to another one`]
      : []),
    ...TARGETS[name].inConfig
      .filter((key) => props.config?.[key] !== undefined)
      .map(
        (key) =>
          `${name} and config.${key} say the same thing: config counts, ` +
          "and nothing would be written to the queue; keep one",
      ),
    ...(variable in (props.environment ?? {})
      ? [`${name}: ${variable} is in environment, too; give it once`]
      : []),
  ];
}

const NOT_SERVED =
  "answers come through /api, which is not served; give LULL_TURN_TOKEN in secrets, or a token in config";
/** As of the variable. */
const ANSWER_WITHIN = { ...SECONDS, minimum: 1 };

/** An answer that is waited for comes through the API. */
function answerProblems(props: LullProps): string[] {
  const { environment = {} } = props;
  if (!(ANSWER_SECONDS in environment)) return [];
  return [
    ...(props.aiQueue || TARGETS.aiQueue.variable in environment
      ? []
      : [`environment: ${ANSWER_SECONDS} is for the reader of aiQueue, and there is none`]),
    ...(hasApi(props) ? [] : [`environment: ${ANSWER_SECONDS}: ${NOT_SERVED}`]),
  ];
}

/** The same of a queue that the configuration names; and the worker's right to write there. */
function queueProblems({ where, url, answerWithinSeconds: given }: ConfigQueue, props: LullProps): string[] {
  return [
    ...(partsOf(url)
      ? []
      : [
          `${where}.url must be a queue's URL, https://sqs.<region>.amazonaws.com/<account>/<name>: ` +
            "the right to write there is made from it",
        ]),
    ...(given === undefined
      ? []
      : problemsIn(given, ANSWER_WITHIN, `${where}.answerWithinSeconds`, TO_PEOPLE)),
    ...(given === undefined || hasApi(props) ? [] : [`${where}.answerWithinSeconds: ${NOT_SERVED}`]),
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
  return [...names, ...aliasProblems(environment), ...problemsInVariables(Object.fromEntries(known))].map(
    (problem) => `environment: ${problem}`,
  );
}

function aliasProblems({ LULL_ALIASES }: Readonly<Record<string, string>>): string[] {
  return Token.isUnresolved(LULL_ALIASES)
    ? ["LULL_ALIASES must be written out: the gateway's routes are made from it"]
    : [];
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

function concurrencyProblems({ concurrency = {}, worker = {}, channels = [] }: LullProps): string[] {
  const { reserved } = concurrency.worker ?? {};
  const queues = new Set(["default", ...channels]).size;
  const wanted = queues * (worker.concurrency ?? PROP_DEFAULTS.worker.concurrency);
  const isKnown =
    typeof reserved === "number" && !Token.isUnresolved(reserved) && !Token.isUnresolved(wanted);
  return isKnown && reserved < wanted
    ? [
        `concurrency.worker.reserved: ${reserved} is less than the ${wanted} that its ${queues} queues ` +
          "may want at once (worker.concurrency for each): " +
          "triggers would be turned away, and end among the dead",
      ]
    : [];
}

/** What can be checked now: without what only the deployment will know, and durations in seconds. */
function known(value: unknown, schema: Schema): unknown {
  if (Token.isUnresolved(value)) return undefined;
  if (schema.type === "integer" && isObject(value)) return secondsOf(value as unknown as Duration);
  const properties = schema.type === "object" ? schema.properties : undefined;
  if (!properties || !isObject(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [key, known(each, properties[key] ?? {})]);
  return Object.fromEntries(entries);
}

function secondsOf(duration: Duration): number | undefined {
  return duration.isUnresolved() ? undefined : duration.toSeconds({ integral: false });
}
