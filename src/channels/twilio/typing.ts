import { authorization, call, messagingUrl } from "./api.ts";
import type { Session } from "./session.ts";

/** Shows "typing" to the customer, and the message as read. A nicety: no turn fails because it failed. */
export async function typing(session: Session, lastProviderId: string, signal: AbortSignal): Promise<void> {
  if (session.primary === undefined) return;
  try {
    const form = new URLSearchParams({ messageId: lastProviderId, channel: "whatsapp" });
    const url = `${messagingUrl(session.apiUrl)}/v2/Indicators/Typing.json`;
    await call(url, await authorization(session, session.primary), {
      method: "POST",
      form,
      signal,
      isUnread: true,
    });
  } catch {
    // A failed nicety is ignored.
  }
}
