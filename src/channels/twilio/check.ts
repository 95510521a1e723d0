import { LullError } from "../../errors.ts";
import { nameOf } from "../../wire/connection-failure.ts";
import { accountPath, authorization, basicWithToken, call } from "./api.ts";
import type { Account, Session } from "./session.ts";

/** What `lull doctor` should tell about the accounts and numbers. Empty when all is well. */
export async function check(session: Session, signal: AbortSignal): Promise<readonly string[]> {
  const problems = session.from
    .filter((number) => !/^(\+\d{5,15}|\d{3,8})$/.test(number))
    .map((number) => `from "${number}" does not look like a number: write it as +15550100`);
  for (const account of session.accounts.values())
    problems.push(...(await checkAccount(session, account, signal)));
  return problems;
}

async function checkAccount(session: Session, account: Account, signal: AbortSignal): Promise<string[]> {
  try {
    const path = accountPath(account);
    const token = await basicWithToken(session, account);
    const { status, text = "" } = await call(`${session.apiUrl}${path}.json`, token, { signal });
    const problem = problemWith(status, text, account);
    if (problem !== undefined) return [problem];
    if (session.apiKey === undefined || account !== session.primary) return [];
    // Keys may not read the account itself, so the key is tried on a list that it must be able to read.
    const key = await authorization(session, account);
    const listed = await call(`${session.apiUrl}${path}/Messages.json?PageSize=1`, key, {
      signal,
      isUnread: true,
    });
    return listed.status === 200
      ? []
      : [`Twilio does not let API key ${session.apiKey.sid} read messages (${listed.status})`];
  } catch (error) {
    return [error instanceof LullError ? error.message : `Twilio could not be reached: ${nameOf(error)}`];
  }
}

function problemWith(status: number, body: string, { sid }: Account): string | undefined {
  if (status === 401 || status === 403) return `Twilio does not accept the auth token of account ${sid}`;
  if (status === 404) return `Twilio knows no account ${sid}`;
  if (status !== 200) return `Twilio answered ${status} when asked for account ${sid}`;
  try {
    const state = (Object(JSON.parse(body)) as { status?: unknown }).status;
    return state === undefined || state === "active"
      ? undefined
      : `Twilio says that account ${sid} is ${state}`;
  } catch {
    return "what answers at apiUrl (TWILIO_API_URL) is not Twilio's API";
  }
}
