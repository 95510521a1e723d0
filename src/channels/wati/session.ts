import { canonicalAddress, withoutFormatting } from "../../core/own-addresses.ts";
import { ConfigError } from "../../errors.ts";
import type { ChannelContext } from "../../ports/channel.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { isPlainUrl, plainUrlInWords } from "../../schema/plain-url.ts";

export interface WatiOptions {
  /** The API endpoint that WATI shows, with the tenant in its path. Default: WATI_API_URL. */
  readonly apiUrl?: string | undefined;
  /** The API token. Default: the environment's WATI_TOKEN. */
  readonly token?: SecretReference | undefined;
  /** What every webhook must carry, as WATI signs nothing. Default: the environment's WATI_WEBHOOK_SECRET. */
  readonly webhookSecret?: SecretReference | undefined;
  /** Name of the tenant in dedupe keys. Default: the tenant in `apiUrl`. */
  readonly account?: string | undefined;
  /**
   * Our number or numbers at this tenant, with or without `+`; in one string, separated by commas. Webhooks
   * for other numbers are refused. Needed where another channel is of type `whatsapp` as well. A webhook that
   * names no number is for the first. Default: WATI_NUMBERS.
   */
  readonly numbers?: string | readonly string[] | undefined;
  /** Bytes of one webhook. Default 65536: larger ones are refused unread. */
  readonly bodyBytesMax?: number | undefined;
}

/**
 * What `open` leaves behind: the options with the environment filled in, and what the runtime handed over.
 */
export interface Session {
  readonly context: ChannelContext;
  readonly apiUrl: string;
  readonly token: SecretReference;
  readonly webhookSecret: SecretReference;
  readonly account: string;
  readonly numbers: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

export function openSession(options: WatiOptions, context: ChannelContext, operators: Environment): Session {
  // The environment is the operator's: a project's channel brings all of its own.
  const environment = context.project === undefined ? operators : ownOf(options, context);
  const { where = `channels.${context.name}` } = context;
  const apiUrl = options.apiUrl || environment.WATI_API_URL;
  if (!apiUrl) {
    throw new ConfigError(`${where}: WATI's API endpoint is missing; set WATI_API_URL or give apiUrl`);
  }
  if (!isPlainUrl(apiUrl))
    throw new ConfigError(`${where}: apiUrl (WATI_API_URL) must be ${plainUrlInWords()}`);
  const tenant = new URL(apiUrl).pathname.split("/").findLast((part) => part !== "");
  return {
    context,
    apiUrl: apiUrl.replace(/\/+$/, ""),
    token: options.token ?? { env: "WATI_TOKEN" },
    webhookSecret: options.webhookSecret ?? { env: "WATI_WEBHOOK_SECRET" },
    account: options.account ?? tenant ?? "wati",
    numbers: numbersOf(options.numbers ?? environment.WATI_NUMBERS),
  };
}

/** What only a project can say of its channel, which is then all that it takes. */
function ownOf(options: WatiOptions, { name, where = `channels.${name}` }: ChannelContext): Environment {
  const needed = ["apiUrl", "token", "webhookSecret"] as const;
  const missing = needed.filter((option) => !options[option]);
  if (missing.length === 0) return {};
  throw new ConfigError(
    `${where}: give ${missing.join(" and ")}, as a channel of a project takes nothing from the environment`,
  );
}

/**
 * As WATI writes them, without `+`: a webhook without a number must find the conversations of those with one.
 */
function numbersOf(given: string | readonly string[] | undefined): string[] {
  const numbers = typeof given === "string" ? given.split(",") : (given ?? []);
  return numbers
    .map((number) => canonicalAddress(withoutFormatting(number.trim())))
    .filter((number) => number !== "");
}

export async function bearer(session: Session): Promise<string> {
  // WATI shows its tokens with the word in front, and operators copy what they see.
  return `Bearer ${(await session.context.secrets.get(session.token)).replace(/^Bearer\s+/i, "")}`;
}
