import type { AskedResponder } from "../../config/asked-responders.ts";
import type { Loaded } from "../../config/load.ts";
import { type CheckResult, skip } from "./check-result.ts";
import { type Asking, findingsOf, OFFLINE, toldUnder } from "./findings.ts";

/** Each that some channel is answered by. A wrong key would otherwise be found by the first customer. */
export async function checkResponders(
  asked: readonly AskedResponder[],
  asking: Asking,
): Promise<CheckResult[]> {
  return (await Promise.all(asked.map((each) => checkResponder(each, asking)))).flat();
}

async function checkResponder(
  { name, kind, origin, respond }: AskedResponder,
  asking: Asking,
): Promise<CheckResult[]> {
  if (respond.check === undefined) return [skip(name, `${withoutCheck(kind)}, from ${origin}; ${GIVE_IT}`)];
  const findings = await findingsOf(respond, asking);
  return findings === undefined
    ? [skip(name, `${kind}, from ${origin}; ${OFFLINE}`)]
    : toldUnder(name, findings);
}

function withoutCheck(kind: string): string {
  return kind === "code" ? "a function of your own" : kind;
}

const GIVE_IT = "give it `check` to have it tried (docs/responders.md)";

/** Whose clock ours is compared with. */
export function providerUrl({ channels, resolved, responder }: Loaded): string | undefined {
  if (channels.some(({ kind }) => kind.startsWith("twilio")))
    return String(resolved.get("twilio.apiUrl")?.value ?? "https://api.twilio.com");
  if (resolved.has("wati.apiUrl")) return String(resolved.get("wati.apiUrl")?.value);
  return responder.asksAt;
}
