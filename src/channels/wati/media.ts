import { LullError } from "../../errors.ts";
import type { Media } from "../../model/message.ts";
import { bearer, type Session } from "./session.ts";

/** Fetches what a customer attached. WATI wants the token for it, and it goes to WATI's own host only. */
export async function fetchMedia(session: Session, media: Media, signal: AbortSignal): Promise<Response> {
  if (!URL.canParse(media.url) || new URL(media.url).origin !== new URL(session.apiUrl).origin) {
    throw new LullError("the media is not at WATI's API endpoint", { code: "FOREIGN_MEDIA", retry: "never" });
  }
  return fetch(media.url, { headers: { authorization: await bearer(session) }, signal });
}
