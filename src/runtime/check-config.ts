import { ConfigError } from "../errors.ts";
import { isObject } from "../schema/is-object.ts";
import { problemsIn, TO_PEOPLE } from "../schema/problems.ts";
import { options, record, type Schema, text } from "../schema/schema.ts";
import type { LullConfig } from "./config.ts";

const ANYTHING: Schema = {};
const SECRET: Schema = { type: "secret" };

/** An object of code: one with this function, or, without a name, a function itself. */
function code(description: string, method?: string): Schema {
  return { type: "function", description, ...(method !== undefined && { method }) };
}

const ENGINE = code(
  'an engine is made by a function, as sqlite({ file: "data/lull.db" }) of lull/sqlite',
  "open",
);
const CHANNEL = code("a channel is made by a function, as web() of lull/web", "parse");
const RESPONDER = code('as async (turn) => "Thank you!", or openai({ ... }) of lull/openai');

/** What is what, one for each member of the type. What says more of a value says it where it is used. */
const CONFIG = options({
  engine: ENGINE,
  channels: record(CHANNEL),
  respond: RESPONDER,
  responders: record(RESPONDER),
  handOffTo: RESPONDER,
  window: ANYTHING,
  windows: record(ANYTHING),
  whileBusy: text(),
  admission: text(),
  validation: text(),
  onUnknown: text(),
  busyText: text(),
  failureText: text(),
  honourStatus: ANYTHING,
  mirrorMessages: ANYTHING,
  project: options({ status: text(), allowedChannels: ANYTHING }),
  projects: record({ type: "object" }),
  limits: ANYTHING,
  publicUrl: text(),
  aliases: ANYTHING,
  apiToken: SECRET,
  turnToken: SECRET,
  secrets: code("as environmentSecrets()", "get"),
  log: code("as (level, event, fields) => ..."),
  clock: code("as { nowMs: () => ... }", "nowMs"),
  workerId: text(),
  partOf: ANYTHING,
  random: code("0 up to 1, as Math.random"),
} satisfies Readonly<Record<keyof LullConfig, Schema>>);

const MISSING = "createLull needs";

/** What a compiler finds for those who use one: who calls from JavaScript is told at the start. */
export function checkConfig(config: unknown): asserts config is LullConfig {
  if (!isObject(config))
    throw new ConfigError(`${MISSING} its configuration: createLull({ engine, channels, respond })`);
  const { engine, channels } = config;
  if (engine === undefined)
    throw new ConfigError(`${MISSING} an engine, as sqlite({ file: "data/lull.db" }) of lull/sqlite`);
  if (channels === undefined)
    throw new ConfigError(`${MISSING} channels, by name, as { web: web() }; web is of lull/web`);
  const [problem] = problemsIn(config, CONFIG, "", TO_PEOPLE);
  if (problem !== undefined) throw new ConfigError(`createLull: ${problem}`);
}
