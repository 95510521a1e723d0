import { isPlainUrl, plainUrlInWords } from "../../core/plain-url.ts";
import { ConfigError } from "../../errors.ts";
import type { ChannelContext } from "../../ports/channel.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { bare } from "./address.ts";
import type { TwilioAccount, TwilioOptions } from "./options.ts";

/** What WhatsApp and SMS differ in. */
export interface Kind {
  readonly type: string;
  readonly prefix: string;
  readonly fromVariable: string;
}

export interface Account {
  readonly sid: string;
  readonly authToken: SecretReference;
  readonly from: readonly string[];
}

/** What `open` leaves behind: the options with the environment filled in, and what the runtime handed over. */
export interface Session {
  readonly context: ChannelContext;
  readonly kind: Kind;
  readonly apiUrl: string;
  readonly from: readonly string[];
  readonly accounts: ReadonlyMap<string, Account>;
  /** The account that sends where no account claims the number. */
  readonly primary: Account | undefined;
  readonly apiKey: TwilioOptions["apiKey"];
  readonly messagingServiceSid: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function openSession(
  kind: Kind,
  options: TwilioOptions,
  context: ChannelContext,
  environment: Environment,
): Session {
  const accounts = accountsOf(options, context.name, environment);
  const only = accounts.size === 1 ? accounts.values().next().value : undefined;
  return {
    context,
    kind,
    accounts,
    primary: options.accountSid === undefined ? only : accounts.get(options.accountSid),
    apiUrl: apiUrlOf(options, context.name, environment),
    from: numbersOf(options.from ?? environment[kind.fromVariable]),
    apiKey: options.apiKey,
    messagingServiceSid: options.messagingServiceSid,
  };
}

/** The account that a number belongs to. */
export function accountFor(session: Session, from: string): Account | undefined {
  const number = bare(from);
  for (const account of session.accounts.values()) if (account.from.includes(number)) return account;
  return session.primary;
}

function accountsOf(options: TwilioOptions, name: string, environment: Environment): Map<string, Account> {
  const accounts = new Map<string, Account>();
  for (const [sid, account] of Object.entries(options.accounts ?? {}))
    accounts.set(sid, accountOf(sid, account));
  // Somebody who lists accounts means those: the environment may belong to something else.
  const sid = options.accountSid ?? (accounts.size === 0 ? environment.TWILIO_ACCOUNT_SID : undefined);
  if (sid && (options.authToken !== undefined || !accounts.has(sid))) {
    accounts.set(sid, accountOf(sid, options.authToken ?? { env: "TWILIO_AUTH_TOKEN" }));
  }
  if (accounts.size > 0) return accounts;
  throw new ConfigError(
    `channels.${name}: Twilio's account is missing; set TWILIO_ACCOUNT_SID or give accountSid`,
  );
}

function accountOf(sid: string, account: TwilioAccount): Account {
  if (typeof account !== "object" || !("authToken" in account)) return { sid, authToken: account, from: [] };
  return { sid, authToken: account.authToken, from: numbersOf(account.from) };
}

function numbersOf(from: string | readonly string[] | undefined): string[] {
  const numbers = typeof from === "string" ? from.split(",") : (from ?? []);
  return numbers.map((number) => bare(number.trim())).filter((number) => number !== "");
}

function apiUrlOf(options: TwilioOptions, name: string, environment: Environment): string {
  const url = options.apiUrl || environment.TWILIO_API_URL || "https://api.twilio.com";
  if (!isPlainUrl(url))
    throw new ConfigError(`channels.${name}: apiUrl (TWILIO_API_URL) must be ${plainUrlInWords()}`);
  return url.replace(/\/+$/, "");
}
