import { LullError } from "../../errors.ts";
import { accountPath, authorization, call } from "./api.ts";
import type { Account, Session } from "./session.ts";

/** One entry of Twilio's list of messages, as far as we use it. */
export interface ListedMessage {
  readonly sid: string;
  readonly accountSid: string;
  readonly direction: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly mediaCount: number;
  /** Whole seconds. */
  readonly createdAtMs: number;
}

export interface Page {
  readonly messages: readonly ListedMessage[];
  /** Entries without a SID or a date. */
  readonly odd: readonly Pick<ListedMessage, "to" | "body">[];
  readonly isLast: boolean;
  /** When Twilio answered, by its own clock. */
  readonly date: string | null;
}

/**
 * Pages of the account's list, as Twilio orders them. Ends after `pagesMax`; `isLast` tells whether that was
 * all.
 */
export async function* pagesOf(
  session: Session,
  account: Account,
  query: Readonly<Record<string, string>>,
  pagesMax: number,
  signal: AbortSignal,
): AsyncGenerator<Page> {
  let path: string | undefined = `${accountPath(account)}/Messages.json?${new URLSearchParams(query)}`;
  for (let page = 0; page < pagesMax && path !== undefined; page++) {
    const { body, date } = await get(session, account, path, signal);
    path = nextPathIn(body);
    yield { ...messagesIn(body), isLast: path === undefined, date };
  }
}

/** Reads JSON from the API, or throws a `LullError` that says what Twilio answered. */
export async function get(
  session: Session,
  account: Account,
  path: string,
  signal: AbortSignal,
): Promise<{ readonly body: unknown; readonly date: string | null }> {
  const credentials = await authorization(session, account);
  const { status, headers, text } = await call(session.apiUrl + path, credentials, { signal });
  if (status !== 200) {
    const retry = status === 429 || status >= 500 ? "later" : "never";
    throw new LullError(`Twilio answered ${status}`, { code: "PROVIDER_ANSWER", retry });
  }
  if (text === undefined)
    throw new LullError("Twilio answered without end", { code: "PROVIDER_ANSWER", retry: "later" });
  return { body: JSON.parse(text) as unknown, date: headers.get("date") };
}

export function listIn(body: unknown, key: string): readonly Record<string, unknown>[] {
  const list = (Object(body) as Record<string, unknown>)[key];
  if (Array.isArray(list)) return list.map((item) => Object(item) as Record<string, unknown>);
  throw new LullError(`Twilio's answer holds no ${key}`, { code: "PROVIDER_ANSWER", retry: "later" });
}

/** A path, which is put behind our own API URL: an answer can never send our credentials to another host. */
function nextPathIn(body: unknown): string | undefined {
  const next = (Object(body) as { next_page_uri?: unknown }).next_page_uri;
  return typeof next === "string" && next.startsWith("/") ? next : undefined;
}

/**
 * An entry without SID or date is left out of the messages and listed as odd: it may be the one looked for.
 */
function messagesIn(body: unknown): {
  messages: ListedMessage[];
  odd: readonly { to: string; body: string }[];
} {
  const read = listIn(body, "messages").map(messageIn);
  return {
    messages: read.filter((message) => message.sid !== "" && !Number.isNaN(message.createdAtMs)),
    odd: read.filter((message) => message.sid === "" || Number.isNaN(message.createdAtMs)),
  };
}

function messageIn(item: Record<string, unknown>): ListedMessage {
  const text = (key: string) => (typeof item[key] === "string" ? item[key] : "");
  return {
    sid: text("sid"),
    accountSid: text("account_sid"),
    direction: text("direction"),
    from: text("from"),
    to: text("to"),
    body: text("body"),
    mediaCount: Number(item.num_media) || 0,
    createdAtMs: Date.parse(text("date_created") || text("date_sent")),
  };
}
