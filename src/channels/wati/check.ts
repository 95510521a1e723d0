import { LullError } from "../../errors.ts";
import { nameOf } from "../../wire/connection-failure.ts";
import { callHttp } from "../../wire/http-call.ts";
import { bearer, type Session } from "./session.ts";

/** What `lull doctor` should tell. Empty when all is well. */
export async function check(session: Session, signal: AbortSignal): Promise<readonly string[]> {
  try {
    await session.context.secrets.get(session.webhookSecret);
    const headers = { authorization: await bearer(session), accept: "application/json" };
    const url = `${session.apiUrl}/api/v1/getContacts?pageSize=1`;
    const { status } = await callHttp(url, { headers, signal, reads: () => false });
    return problemsWith(status);
  } catch (error) {
    return [error instanceof LullError ? error.message : `WATI could not be reached: ${nameOf(error)}`];
  }
}

function problemsWith(status: number): string[] {
  if (status === 401 || status === 403) return ["WATI does not accept the token (WATI_TOKEN)"];
  if (status === 404)
    return ["there is no WATI API at apiUrl (WATI_API_URL): it must hold the tenant, as WATI shows it"];
  return status === 200 || status === 429 ? [] : [`WATI answered ${status} when asked for contacts`];
}
