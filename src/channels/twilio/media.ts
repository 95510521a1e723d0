import { LullError } from "../../errors.ts";
import type { Media } from "../../model/message.ts";
import { authorization } from "./api.ts";
import type { Account, Session } from "./session.ts";

/** Fetches what a customer attached. Twilio wants credentials for it, and they go to Twilio only. */
export async function fetchMedia(session: Session, media: Media, signal: AbortSignal): Promise<Response> {
  const account = ownerOf(session, media.url);
  if (!isTwilio(session, media.url) || account === undefined) {
    throw new LullError("the media is not at Twilio", { code: "FOREIGN_MEDIA", retry: "never" });
  }
  // Twilio redirects to where the file lies; `fetch` leaves the credentials behind when the host changes.
  return fetch(media.url, { headers: { authorization: await authorization(session, account) }, signal });
}

function isTwilio(session: Session, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { origin, protocol, hostname } = new URL(url);
  if (origin === new URL(session.apiUrl).origin) return true;
  return protocol === "https:" && (hostname === "twilio.com" || hostname.endsWith(".twilio.com"));
}

function ownerOf(session: Session, url: string): Account | undefined {
  const sid = /\/Accounts\/([^/]+)\//.exec(url)?.[1];
  return session.accounts.get(sid ?? "") ?? session.primary;
}
