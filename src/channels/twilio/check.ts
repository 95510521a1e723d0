import { LullError } from "../../errors.ts";
import type { Finding } from "../../ports/check-result.ts";
import { aboutWebhook, found } from "../../wire/finding.ts";
import { unanswered } from "../../wire/unanswered.ts";
import { accountPath, authorization, basicWithToken, call } from "./api.ts";
import { checkNumbers } from "./check-numbers.ts";
import type { Account, Session } from "./session.ts";

const NUMBER = /^(\+\d{5,15}|\d{3,8}|MG[0-9a-f]{32})$/i;

/** What `lull doctor` should tell about the accounts, their numbers, and what Twilio calls for them. */
export async function check(session: Session, signal: AbortSignal): Promise<readonly Finding[]> {
  const misspelt = session.from
    .filter((number) => !NUMBER.test(number))
    .map((number) => found("fail", `from "${number}" does not look like a number: write it as +15550100`));
  const accounts = [...session.accounts.values()];
  const each = await Promise.all(accounts.map((account) => checkAccount(session, account, signal)));
  return [...misspelt, ...each.flat()];
}

async function checkAccount(session: Session, account: Account, signal: AbortSignal): Promise<Finding[]> {
  try {
    const problem = await problemWith(session, account, signal);
    if (problem !== undefined) return [found("fail", problem), NOT_ASKED];
    const well = found("ok", `Twilio accepts the auth token of account ${account.sid}`);
    const key = await tryKey(session, account, signal);
    return [well, ...key, ...(await checkNumbers(session, account, signal))];
  } catch (error) {
    const why = unanswered(hostOf(session), error, signal);
    return [found("fail", error instanceof LullError ? why : `Twilio gave no answer: ${why}`), NOT_ASKED];
  }
}

/** The line before says why it was of no use to ask. */
const NOT_ASKED = aboutWebhook("skip", "Twilio could not be asked what it calls");

function hostOf({ apiUrl }: Session): string {
  return new URL(apiUrl).host;
}

async function problemWith(
  session: Session,
  account: Account,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { sid } = account;
  const token = await basicWithToken(session, account);
  const { status, text = "" } = await call(`${session.apiUrl}${accountPath(account)}.json`, token, {
    signal,
  });
  if (status === 401 || status === 403) return `Twilio does not accept the auth token of account ${sid}`;
  if (status === 404) return `Twilio knows no account ${sid}`;
  if (status !== 200) return `Twilio answered ${status} when asked for account ${sid}`;
  try {
    const state = (Object(JSON.parse(text)) as { status?: unknown }).status;
    return state === undefined || state === "active"
      ? undefined
      : `Twilio says that account ${sid} is ${state}`;
  } catch {
    return "what answers at apiUrl (TWILIO_API_URL) is not Twilio's API";
  }
}

/** Keys may not read the account itself, so the key is tried on a list that it must be able to read. */
async function tryKey(session: Session, account: Account, signal: AbortSignal): Promise<Finding[]> {
  if (session.apiKey === undefined || account !== session.primary) return [];
  const { sid } = session.apiKey;
  const url = `${session.apiUrl}${accountPath(account)}/Messages.json?PageSize=1`;
  const { status } = await call(url, await authorization(session, account), { signal, isUnread: true });
  if (status === 200) return [found("ok", `Twilio lets API key ${sid} read messages`)];
  return [found("fail", `Twilio does not let API key ${sid} read messages (${status})`)];
}
