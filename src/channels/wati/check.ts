import { LullError } from "../../errors.ts";
import type { Finding } from "../../ports/check-result.ts";
import { aboutWebhook, found } from "../../wire/finding.ts";
import { callHttp } from "../../wire/http-call.ts";
import { unanswered } from "../../wire/unanswered.ts";
import { bearer, type Session } from "./session.ts";

/** What `lull doctor` should tell. */
export async function check(session: Session, signal: AbortSignal): Promise<readonly Finding[]> {
  return [await tryToken(session, signal), NOT_LISTED];
}

/** Its API makes webhooks, and lists none. */
const NOT_LISTED = aboutWebhook("skip", "WATI's API does not tell what it calls: compare it in WATI");

async function tryToken(session: Session, signal: AbortSignal): Promise<Finding> {
  const { host } = new URL(session.apiUrl);
  try {
    await session.context.secrets.get(session.webhookSecret);
    const headers = { authorization: await bearer(session), accept: "application/json" };
    const url = `${session.apiUrl}/api/v1/getContacts?pageSize=1`;
    const { status } = await callHttp(url, { headers, signal, reads: () => false });
    return toldBy(status);
  } catch (error) {
    const why = unanswered(host, error, signal);
    return found("fail", error instanceof LullError ? why : `WATI gave no answer: ${why}`);
  }
}

function toldBy(status: number): Finding {
  if (status === 200) return found("ok", "WATI accepts the token");
  if (status === 401 || status === 403) return found("fail", "WATI does not accept the token (WATI_TOKEN)");
  if (status === 404)
    return found(
      "fail",
      "there is no WATI API at apiUrl (WATI_API_URL): it must hold the tenant, as WATI shows it",
    );
  if (status === 429)
    return found("skip", "WATI answered 429: too many calls just now, so that the token was not tried");
  return found("fail", `WATI answered ${status} when asked for contacts`);
}
