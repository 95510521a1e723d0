import type { RefusalCode } from "../model/refusal.ts";
import type { ReceiveSummary, WebhookAnswer, WebhookHead } from "../ports/channel.ts";
import { knownChannel } from "./known-channel.ts";
import type { SampledLog } from "./sampled-log.ts";
import type { UseCaseContext } from "./use-case.ts";

/** What it takes to say no: the channel's words, and a line in the log. */
export interface Refusing extends Pick<UseCaseContext, "channels"> {
  readonly sampled: Pick<SampledLog, "note">;
}

/** Why a whole webhook is refused. */
export interface WebhookRefusal extends Pick<ReceiveSummary, "retryAfterSeconds"> {
  readonly code: RefusalCode;
  readonly detail: string;
}

/**
 * How long a caller is asked to wait when too many requests are carried out at once. They are short: a moment
 * is enough.
 */
export const MOMENT_SECONDS = 1;

export const TOO_MANY: WebhookRefusal = {
  code: "RATE_LIMITED",
  detail: "too many requests at once",
  retryAfterSeconds: MOMENT_SECONDS,
};

/**
 * Mostly a wrong URL in the provider's settings, which shows nowhere else. The log does not repeat the name:
 * a caller who proves nothing may have chosen it.
 */
export function refuseNameless(refusing: Refusing): void {
  const why = "it is for a channel that is not configured: is its URL right?";
  noteRefusal(refusing, "(none)", "ROUTE_NOT_FOUND", why);
}

/** What every real webhook has costs nothing to look for; its body does. Undefined where it may be read. */
export function glance(refusing: Refusing, name: string, head: WebhookHead): WebhookAnswer | undefined {
  const refused = knownChannel(refusing.channels, name).glance?.(head);
  return refused && refuse(refusing, name, { code: refused.code, detail: refused.why });
}

export function refuseTooLarge(refusing: Refusing, name: string, bytesMax: number): WebhookAnswer {
  const detail = `a body may have ${bytesMax} bytes`;
  return refuse(refusing, name, { code: "PAYLOAD_TOO_LARGE", detail });
}

/** In the channel's words, and told like everything else that is refused. */
export function refuse(refusing: Refusing, name: string, refusal: WebhookRefusal): WebhookAnswer {
  noteRefusal(refusing, name, refusal.code, refusal.detail);
  const answer = knownChannel(refusing.channels, name).answer(refusal);
  if (refusal.retryAfterSeconds === undefined) return answer;
  return { ...answer, headers: { "retry-after": String(refusal.retryAfterSeconds), ...answer.headers } };
}

/** For what is answered in other words than the channel's. */
export function noteRefusal(
  { sampled }: Pick<Refusing, "sampled">,
  channel: string,
  code: RefusalCode,
  reason: string,
): void {
  sampled.note("warn", "webhook.refused", { channel, code, reason });
}
