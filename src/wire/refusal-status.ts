import type { RefusalCode } from "../model/refusal.ts";

/**
 * How the caller behaves when it is refused.
 * - `not-retrying`: comes again only if the address of its webhook asks for it, and shows our answer to the
 *   customer (Twilio);
 * - `retrying`: retries every non-200 for hours or days, so only what may succeed later is an error. A body
 *   that was too large to be read may succeed once the limit is raised; until then its contents are unknown,
 *   and it is not acknowledged. A message that was read and that no store can hold never succeeds;
 * - `client`: a program or a page that reads the status and can act on it.
 */
export type CallerFamily = "not-retrying" | "retrying" | "client";

const STATUS: Record<RefusalCode, Record<CallerFamily, number>> = {
  INVALID_SIGNATURE: { "not-retrying": 403, retrying: 401, client: 401 },
  INVALID_PAYLOAD: { "not-retrying": 400, retrying: 200, client: 400 },
  PAYLOAD_TOO_LARGE: { "not-retrying": 413, retrying: 413, client: 413 },
  MESSAGE_TOO_LARGE: { "not-retrying": 200, retrying: 200, client: 413 },
  CONVERSATION_NOT_FOUND: { "not-retrying": 200, retrying: 200, client: 404 },
  PROJECT_INACTIVE: { "not-retrying": 200, retrying: 200, client: 403 },
  CHANNEL_NOT_ALLOWED: { "not-retrying": 200, retrying: 200, client: 403 },
  CONVERSATION_LOCKED: { "not-retrying": 200, retrying: 200, client: 409 },
  ROUTE_NOT_FOUND: { "not-retrying": 200, retrying: 200, client: 500 },
  RATE_LIMITED: { "not-retrying": 429, retrying: 429, client: 429 },
  STORE_UNAVAILABLE: { "not-retrying": 503, retrying: 503, client: 503 },
};

/** The HTTP status for a refusal. No code means success. */
export function statusOf(code: RefusalCode | undefined, family: CallerFamily): number {
  return code === undefined ? 200 : STATUS[code][family];
}
