import type { RefusalCode } from "../../model/refusal.ts";

/** Why a message is refused with each code, and what a person does about it. */
export const REFUSAL_CAUSES: Readonly<Record<RefusalCode, string>> = {
  INVALID_SIGNATURE:
    "its sender did not prove who it is. Compare the channel's secret here with the provider's (WATI: " +
    "the passkey in the webhook's URL; Twilio: the auth token) and the public URL: lull doctor shows it",
  INVALID_PAYLOAD: "it cannot be read. Compare which provider calls this webhook: lull doctor",
  PAYLOAD_TOO_LARGE: "the request is larger than limits.bodyBytesMax",
  MESSAGE_TOO_LARGE: "the message is longer than can be kept; the customer has to write a shorter one",
  CONVERSATION_NOT_FOUND:
    'the customer has no conversation, and admission is "known". Make one: lull conversations create',
  PROJECT_INACTIVE:
    "the project, or the conversation's record, is not active; the customer has to write again. " +
    "Which of the two: lull conversations show <id>, and lull projects",
  CHANNEL_NOT_ALLOWED:
    "the project, or the conversation's record, does not allow this type of channel; the customer has to " +
    "write again. Which of the two: lull conversations show <id>, and lull projects",
  CONVERSATION_LOCKED:
    'the conversation was being answered, and whileBusy is "reject"; the customer has to write again',
  ROUTE_NOT_FOUND: "no channel or responder is configured for it. Look: lull config",
  RATE_LIMITED: "too much came at once from one sender, or too much waits in the conversation already",
  STORE_UNAVAILABLE: "the store could not be written; the provider tries again. Look: lull doctor",
};

/** Another version may have written other codes. */
export function refusalCause(code: string): string | undefined {
  return Object.hasOwn(REFUSAL_CAUSES, code) ? REFUSAL_CAUSES[code as RefusalCode] : undefined;
}

/** One line for each of these codes, as they came. */
export function refusalNotes(codes: readonly string[]): string[] {
  return [...new Set(codes)].flatMap((code) => {
    const cause = refusalCause(code);
    return cause === undefined ? [] : [`${code}: ${cause}`];
  });
}
