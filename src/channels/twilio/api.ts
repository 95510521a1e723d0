import type { Account, Session } from "./session.ts";

export interface Call {
  readonly method?: "GET" | "POST";
  readonly form?: URLSearchParams;
  readonly signal: AbortSignal;
}

/** The path under which everything of an account lives. */
export function accountPath(account: Account): string {
  return `/2010-04-01/Accounts/${encodeURIComponent(account.sid)}`;
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

/**
 * Calls Twilio. `redirect: "manual"`: a posted message must not be posted again to wherever a proxy points.
 */
export function call(
  url: string,
  credentials: string,
  { method = "GET", form, signal }: Call,
): Promise<Response> {
  return fetch(url, {
    method,
    headers: { authorization: credentials, accept: "application/json" },
    ...(form === undefined ? {} : { body: form }),
    redirect: "manual",
    signal,
  });
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
