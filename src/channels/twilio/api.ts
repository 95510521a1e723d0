import { callHttp, type HttpAnswer } from "../../wire/http-call.ts";
import type { Account, Session } from "./session.ts";

export interface Call {
  readonly method?: "GET" | "POST";
  readonly form?: URLSearchParams;
  readonly signal: AbortSignal;
  /** Only the status is asked for. */
  readonly isUnread?: true;
}

/** The path under which everything of an account lives. */
export function accountPath(account: Account): string {
  return `/2010-04-01/Accounts/${encodeURIComponent(account.sid)}`;
}

/** Newer resources live on Twilio's messaging host; a stand-in for Twilio has one host for everything. */
export function messagingUrl(apiUrl: string): string {
  return apiUrl.replace(/^https:\/\/api(?=\.(?:[a-z0-9-]+\.)*twilio\.com$)/, "https://messaging");
}

export async function authorization(session: Session, account: Account): Promise<string> {
  const { apiKey } = session;
  if (apiKey === undefined || account !== session.primary) return basicWithToken(session, account);
  return basic(apiKey.sid, await session.context.secrets.get(apiKey.secret));
}

/** Uses the auth token even where an API key sends: part of the API is closed to keys. */
export async function basicWithToken(session: Session, account: Account): Promise<string> {
  return basic(account.sid, await session.context.secrets.get(account.authToken));
}

export function call(
  url: string,
  credentials: string,
  { method = "GET", form, signal, isUnread }: Call,
): Promise<HttpAnswer> {
  const headers = { authorization: credentials, accept: "application/json" };
  const how = { method, signal, reads: () => !isUnread };
  if (form === undefined) return callHttp(url, { ...how, headers });
  const typed = { ...headers, "content-type": "application/x-www-form-urlencoded;charset=UTF-8" };
  return callHttp(url, { ...how, headers: typed, body: form.toString() });
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
