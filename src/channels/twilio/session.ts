import { isAmong, withoutFormatting } from "../../core/own-addresses.ts";
import { ConfigError } from "../../errors.ts";
import type { ChannelContext, Outgoing } from "../../ports/channel.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { isPlainUrl, plainUrlInWords } from "../../schema/plain-url.ts";
import { meantBy, storedName } from "../../wire/secret-name.ts";
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
  readonly credentialsId?: string | undefined;
}

/**
 * What `open` leaves behind: the options with the environment filled in, and what the runtime handed over.
 */
export interface Session {
  readonly context: ChannelContext;
  readonly kind: Kind;
  readonly apiUrl: string;
  readonly from: readonly string[];
  /** All numbers, of the channel and of its accounts. */
  readonly numbers: readonly string[];
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
  operators: Environment,
): Session {
  const isOfProject = context.project !== undefined;
  // The environment is the operator's: of it a project's channel learns where Twilio's API is, and no more.
  const environment = isOfProject ? { TWILIO_API_URL: operators.TWILIO_API_URL } : operators;
  // A configuration that lists accounts means their numbers: the environment may belong to something else.
  const own = options.from ?? (options.accounts === undefined ? environment[kind.fromVariable] : undefined);
  const from = numbersOf(own);
  const { where = `channels.${context.name}` } = context;
  const listed = accountsOf(options, where, environment, isOfProject);
  const accounts = listed.size === 1 ? listed : withOwnNumbers(listed, options.accountSid, from, where);
  const only = accounts.size === 1 ? accounts.values().next().value : undefined;
  return {
    context,
    kind,
    accounts,
    primary: options.accountSid === undefined ? only : accounts.get(options.accountSid),
    apiUrl: apiUrlOf(options, where, environment),
    from,
    numbers: numbersOfAll(from, accounts),
    apiKey: options.apiKey,
    messagingServiceSid: options.messagingServiceSid,
  };
}

/** The account that a number belongs to. */
export function accountFor(session: Session, from: string): Account | undefined {
  for (const account of session.accounts.values()) if (isAmong(from, account.from)) return account;
  return session.primary;
}

/**
 * The account that sends: the one that the conversation's record asks for, where there is a choice. It has to
 * be one of this channel's, and the number one of its own: a record cannot reach another's credentials.
 */
export function sendingAccount(
  session: Session,
  { from, credentialsId }: Pick<Outgoing, "from" | "credentialsId">,
): Account | { readonly why: string } {
  const accounts = [...session.accounts.values()];
  const isChoice = accounts.length > 1 || accounts.some((account) => account.credentialsId !== undefined);
  if (credentialsId !== undefined && isChoice) {
    const asked = accountsNamed(accounts, credentialsId, session);
    if (asked.length === 0) return { why: UNKNOWN_CREDENTIALS };
    // Where several have that name, each has numbers of its own: the number says which.
    return asked.find((account) => speaksFor(account, from)) ?? { why: OTHERS_NUMBER };
  }
  return accountFor(session, from) ?? { why: "no account in the configuration claims the sending number" };
}

const UNKNOWN_CREDENTIALS =
  "UNKNOWN_CREDENTIALS: the conversation's record names credentials that are none of this channel's accounts";
const OTHERS_NUMBER = "the account that the conversation's record names has not the sending number";

function accountsNamed(accounts: readonly Account[], id: string, { context }: Session): readonly Account[] {
  const own = accounts.filter(({ credentialsId }) => credentialsId === id);
  if (own.length > 0) return own;
  const nameless = accounts.filter(({ credentialsId }) => credentialsId === undefined);
  return meantBy(id, nameless, ({ authToken }) => storedName(authToken, context.secrets));
}

/**
 * Whether an account may report about this number. A single account that lists no numbers may report about
 * all.
 */
export function speaksFor(account: Account, number: string): boolean {
  return account.from.length === 0 || isAmong(number, account.from);
}

/** A Messaging Service in place of a number has no number: customers write to one of its pool. */
const SERVICE = /^MG[0-9a-f]{32}$/i;

export function isService(which: string): boolean {
  return SERVICE.test(which);
}

function numbersOfAll(from: readonly string[], accounts: ReadonlyMap<string, Account>): string[] {
  const named = [...from, ...[...accounts.values()].flatMap((account) => account.from)];
  return [...new Set(named)].filter((number) => !isService(number));
}

/**
 * Several accounts behind one webhook: each says which numbers are its own. The channel's numbers are those
 * of its primary account.
 */
function withOwnNumbers(
  accounts: ReadonlyMap<string, Account>,
  primary: string | undefined,
  from: readonly string[],
  where: string,
): Map<string, Account> {
  const claimed = [...accounts.values()].flatMap((account) => account.from);
  const free = from.filter((number) => !isAmong(number, claimed));
  const owners = [...accounts.values()].map((account) =>
    account.sid === primary ? { ...account, from: [...account.from, ...free] } : account,
  );
  for (const [at, { sid, from: own }] of owners.entries()) {
    if (own.length === 0)
      throw new ConfigError(
        `${where}: account ${sid} has no numbers: ` +
          `where there are several accounts each needs its \`from\`, ` +
          `or one's token would vouch for another's customers`,
      );
    const other = owners.slice(at + 1).find((each) => each.from.some((number) => isAmong(number, own)));
    if (other)
      throw new ConfigError(`${where}: accounts ${sid} and ${other.sid} have the same number in \`from\``);
  }
  return new Map(owners.map((account) => [account.sid, account]));
}

const SET_OR_GIVE = "set TWILIO_ACCOUNT_SID or give accountSid";
const NOT_OURS = "as a channel of a project takes nothing from the environment";

function accountsOf(
  options: TwilioOptions,
  where: string,
  environment: Environment,
  isOfProject: boolean,
): Map<string, Account> {
  const accounts = new Map<string, Account>();
  for (const [sid, account] of Object.entries(options.accounts ?? {}))
    accounts.set(sid, accountOf(sid, account));
  // A configuration that lists accounts means only those: the environment may belong to something else.
  const sid = options.accountSid ?? (accounts.size === 0 ? environment.TWILIO_ACCOUNT_SID : undefined);
  if (sid && (options.authToken !== undefined || !accounts.has(sid))) {
    const authToken = options.authToken ?? (isOfProject ? undefined : { env: "TWILIO_AUTH_TOKEN" });
    if (authToken === undefined)
      throw new ConfigError(`${where}: the auth token of ${sid} is missing; give authToken, ${NOT_OURS}`);
    accounts.set(sid, accountOf(sid, authToken));
  }
  if (accounts.size > 0) return accounts;
  const how = isOfProject ? `give accounts, or accountSid and authToken, ${NOT_OURS}` : SET_OR_GIVE;
  throw new ConfigError(`${where}: Twilio's account is missing; ${how}`);
}

function accountOf(sid: string, account: TwilioAccount): Account {
  if (typeof account !== "object" || !("authToken" in account)) return { sid, authToken: account, from: [] };
  const { authToken, from, credentialsId } = account;
  return { sid, authToken, from: numbersOf(from), credentialsId };
}

function numbersOf(from: string | readonly string[] | undefined): string[] {
  const numbers = typeof from === "string" ? from.split(",") : (from ?? []);
  return numbers.map((number) => withoutFormatting(bare(number.trim()))).filter((number) => number !== "");
}

function apiUrlOf(options: TwilioOptions, where: string, environment: Environment): string {
  const url = options.apiUrl || environment.TWILIO_API_URL || "https://api.twilio.com";
  if (!isPlainUrl(url))
    throw new ConfigError(`${where}: apiUrl (TWILIO_API_URL) must be ${plainUrlInWords()}`);
  return url.replace(/\/+$/, "");
}
