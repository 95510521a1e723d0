import { twilio } from "../channels/twilio/index.ts";
import { wati } from "../channels/wati/index.ts";
import { web } from "../channels/web/index.ts";
import { canonicalAddress, withoutFormatting } from "../core/own-addresses.ts";
import { ConfigError } from "../errors.ts";
import type { Channel } from "../ports/channel.ts";
import { isObject } from "../schema/is-object.ts";
import type { ObjectSchema } from "../schema/schema.ts";
import { didYouMean } from "../schema/suggest.ts";
import { CHANNEL_OPTIONS } from "./channel-options.ts";
import { checkOptions } from "./file-keys.ts";
import { type ResolvedSettings, referenceIn, type Setting } from "./resolve-settings.ts";

/** A channel in force, with what a person wants to know of it. */
export interface ConfiguredChannel {
  readonly name: string;
  readonly channel: Channel;
  /** `twilio whatsapp`, `wati`, `web`, or `code` for one that a configuration module made. */
  readonly kind: string;
  /** Our own addresses, where they are known before the first message. */
  readonly addresses: readonly string[];
  readonly origin: string;
  /** The project that it is listed under. */
  readonly project?: string;
}

type Options = Readonly<Record<string, unknown>>;
type File = { readonly name: string; readonly content: Options } | undefined;

interface Provider {
  readonly variants: readonly string[];
  readonly options: ObjectSchema;
  make(variant: string, options: Options): Channel;
}

/** What `{ "twilio": "whatsapp", "from": "+15550100" }` makes. */
const PROVIDERS: Readonly<Record<string, Provider>> = {
  twilio: {
    variants: ["whatsapp", "sms"],
    options: CHANNEL_OPTIONS.twilio,
    make: (variant, given) => (variant === "sms" ? twilio.sms(given) : twilio.whatsapp(given)),
  },
  wati: {
    variants: ["whatsapp"],
    options: CHANNEL_OPTIONS.wati,
    make: (_variant, given) => wati(given),
  },
  web: {
    variants: ["page"],
    options: CHANNEL_OPTIONS.web,
    make: (_variant, given) => web(given),
  },
};

/** Channels of the file, completed by the environment, and those that the environment alone turns on. */
export function channelsFrom(
  file: File,
  resolved: ResolvedSettings,
  { withWeb, ofProjects }: { withWeb: boolean; ofProjects: readonly ConfiguredChannel[] },
): ConfiguredChannel[] {
  const named = new Map(channelsIn(file, resolved).map((channel) => [channel.name, channel]));
  const taken = new Set(ofProjects.map(({ name }) => name));
  for (const [name, { provider, variant }] of Object.entries(BY_ENVIRONMENT)) {
    const origin = turnedOnBy(name, resolved);
    if (origin === undefined || named.has(name) || taken.has(name)) continue;
    named.set(name, made(name, provider, variant, environmentOptions(name, resolved), origin));
  }
  const hasWeb = [...named.values(), ...ofProjects].some(({ channel }) => channel.type === "web");
  if (withWeb && !hasWeb)
    named.set(
      "web",
      made("web", "web", "page", webOptions(resolved), resolved.get("web")?.origin ?? "lull dev"),
    );
  return [...named.values()];
}

/** Those that a file, or a project in it, lists. */
export function channelsIn(file: File, resolved: ResolvedSettings, under = ""): ConfiguredChannel[] {
  const channels = file?.content.channels ?? {};
  const where = under === "" ? "channels" : `${under}.channels`;
  if (!isObject(channels))
    throw new ConfigError(`${file?.name}: ${where} must be an object: names of channels and what they are`);
  return Object.entries(channels).map(([name, given]) =>
    fromFile(name, given, {
      file: file?.name ?? "",
      where: `${where}.${name}`,
      ...(under === "" && { completedBy: resolved }),
    }),
  );
}

interface Place {
  readonly file: string;
  readonly where: string;
  /** What the environment says of channels that bear its names. It is for all: a project's are its own. */
  readonly completedBy?: ResolvedSettings;
}

function fromFile(name: string, given: unknown, { file, where, completedBy }: Place): ConfiguredChannel {
  if (isChannel(given)) return { name, channel: given, kind: "code", addresses: [], origin: file };
  if (!isObject(given)) throw new ConfigError(`${file}: ${where} must be ${EXAMPLE}`);
  const [provider, variant] = providerOf(given, file, where);
  const { [provider]: _, ...own } = given;
  checkOptions(own, (PROVIDERS[provider] as Provider).options, file, where);
  if (completedBy === undefined) return made(name, provider, variant, own, file);
  if (name === "web" && provider === "web")
    return made(name, provider, variant, { ...own, ...webOptions(completedBy) }, file);
  const known = BY_ENVIRONMENT[name];
  // The environment describes one channel of each kind: the one that bears the kind's name.
  const fromEnvironment =
    known?.provider === provider && known.variant === variant ? environmentOptions(name, completedBy) : {};
  return made(name, provider, variant, { ...own, ...fromEnvironment }, file);
}

const EXAMPLE = 'a channel, or say which one to make: { "twilio": "whatsapp", "from": "+15550100" }';

function isChannel(given: unknown): given is Channel {
  return isObject(given) && typeof given.parse === "function" && typeof given.send === "function";
}

function providerOf(given: Options, file: string, where: string): [provider: string, variant: string] {
  const provider = Object.keys(PROVIDERS).find((name) => given[name] !== undefined);
  if (provider === undefined) {
    const guess = Object.keys(given)
      .map((key) => didYouMean(key, Object.keys(PROVIDERS)))
      .find((text) => text !== "");
    throw new ConfigError(`${file}: ${where} must be ${EXAMPLE}${guess ?? ""}`);
  }
  const { variants } = PROVIDERS[provider] as Provider;
  const variant = given[provider] === true ? variants[0] : given[provider];
  if (typeof variant === "string" && variants.includes(variant)) return [provider, variant];
  throw new ConfigError(
    `${file}: ${where}.${provider} must be ${variants.map((each) => `"${each}"`).join(" or ")}`,
  );
}

/** Which channel a variable belongs to, and which one turns it on. */
const BY_ENVIRONMENT: Readonly<
  Record<string, { provider: string; variant: string; on: string; keys: Readonly<Record<string, string>> }>
> = {
  whatsapp: {
    provider: "twilio",
    variant: "whatsapp",
    on: "twilio.whatsappFrom",
    keys: {
      from: "twilio.whatsappFrom",
      accountSid: "twilio.accountSid",
      authToken: "twilio.authToken",
      apiUrl: "twilio.apiUrl",
    },
  },
  sms: {
    provider: "twilio",
    variant: "sms",
    on: "twilio.smsFrom",
    keys: {
      from: "twilio.smsFrom",
      accountSid: "twilio.accountSid",
      authToken: "twilio.authToken",
      apiUrl: "twilio.apiUrl",
    },
  },
  wati: {
    provider: "wati",
    variant: "whatsapp",
    on: "wati.apiUrl",
    keys: {
      apiUrl: "wati.apiUrl",
      token: "wati.token",
      webhookSecret: "wati.webhookSecret",
      numbers: "wati.numbers",
    },
  },
};

/** The variable that turned the channel on; an error names the ones that are missing beside it. */
function turnedOnBy(name: string, resolved: ResolvedSettings): string | undefined {
  const { on, keys } = BY_ENVIRONMENT[name] as (typeof BY_ENVIRONMENT)[string];
  const origin = resolved.get(on)?.origin;
  if (origin === undefined) return undefined;
  const missing = Object.values(keys)
    .filter((key) => key in VARIABLES && !resolved.has(key))
    .map((key) => VARIABLES[key]);
  if (missing.length === 0) return origin;
  throw new ConfigError(`${origin} turns channel ${name} on, which also needs ${missing.join(" and ")}`);
}

/** The variables that a channel cannot do without. */
const VARIABLES: Readonly<Record<string, string>> = {
  "twilio.accountSid": "TWILIO_ACCOUNT_SID",
  "twilio.authToken": "TWILIO_AUTH_TOKEN",
  "wati.token": "WATI_TOKEN",
  "wati.webhookSecret": "WATI_WEBHOOK_SECRET",
};

function environmentOptions(name: string, resolved: ResolvedSettings): Options {
  const { keys } = BY_ENVIRONMENT[name] as (typeof BY_ENVIRONMENT)[string];
  const present = Object.entries(keys).flatMap(([option, key]) => {
    const setting = resolved.get(key);
    return setting === undefined ? [] : [[option, optionValue(option, setting)] as const];
  });
  return Object.fromEntries(present);
}

function webOptions(resolved: ResolvedSettings): Options {
  const secret = resolved.get("webSecret");
  const unsigned = resolved.get("webUnsigned");
  return { ...(secret && { secret: referenceIn(secret) }), ...(unsigned && { unsigned: unsigned.value }) };
}

function optionValue(option: string, setting: Setting): unknown {
  if (option === "from" || option === "numbers") return numbers(setting.value);
  return setting.knob.kind.type === "secret" ? referenceIn(setting) : setting.value;
}

function made(
  name: string,
  provider: string,
  variant: string,
  options: Options,
  origin: string,
): ConfiguredChannel {
  const { make, variants } = PROVIDERS[provider] as Provider;
  const kind = variants.length > 1 ? `${provider} ${variant}` : provider;
  const address = options.from ?? options.address ?? (provider === "web" ? name : undefined);
  // As WATI's webhooks write them: webhooks have to find a conversation that an operator created.
  const atWati = numbers(options.numbers).map(canonicalAddress);
  return {
    name,
    channel: make(variant, options),
    kind,
    addresses: [...numbers(address), ...atWati],
    origin,
  };
}

/** One number, several, or several separated by commas; with or without `whatsapp:`. */
function numbers(given: unknown): string[] {
  const list = Array.isArray(given) ? given : typeof given === "string" ? given.split(",") : [];
  return list
    .map((number) =>
      withoutFormatting(
        String(number)
          .trim()
          .replace(/^[a-z]+:/, ""),
      ),
    )
    .filter((number) => number !== "");
}
