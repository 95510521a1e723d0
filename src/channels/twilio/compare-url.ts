import type { Finding } from "../../ports/check-result.ts";
import { maskUrl } from "../../schema/plain-url.ts";
import { aboutWebhook } from "../../wire/finding.ts";
import type { Called } from "./receivers.ts";

/** Without it Twilio tries again only where it could not connect: a 503 in a bad moment loses the message. */
export const RETRIES = "#rc=3&rp=all";

/** What Twilio calls for messages to `which`, beside what it should call. */
export function compareUrl({ url, method, at }: Called, which: string, ours: readonly string[]): Finding {
  const [own] = ours;
  if (own === undefined)
    return aboutWebhook("skip", `for ${which}: there is no public URL to compare with what Twilio calls`);
  const enter = `enter ${own}${RETRIES} ${at}`;
  if (url === "") return aboutWebhook("warn", `Twilio calls nothing for messages to ${which}: ${enter}`);
  const shown = shownOf(url);
  if (!ours.some((each) => isSameUrl(each, url)))
    return aboutWebhook("warn", `for messages to ${which} Twilio calls ${shown}, and not ${own}: ${enter}`);
  if (method !== "" && method !== "POST")
    return aboutWebhook("warn", `Twilio calls ${shown} for ${which} by ${method}: choose POST ${at}`);
  // A restart would lose a message without it.
  if (!/#.*\brc=/.test(url))
    return aboutWebhook(
      "warn",
      `Twilio calls ${shown} for ${which}, but tries again only where it cannot connect: ${enter}`,
    );
  return aboutWebhook("ok", `Twilio calls ${shown} for messages to ${which}`);
}

/** The fragment is for Twilio, and a password may stand in front of the host. */
function isSameUrl(one: string, other: string): boolean {
  return plain(one) === plain(other);
}

function plain(text: string): string {
  const url = URL.parse(text.trim());
  if (url === null) return text;
  url.hash = "";
  // A slash at the end is no other webhook of ours.
  url.pathname = url.pathname.replace(/\/+$/, "");
  return url.href;
}

function shownOf(url: string): string {
  const [address = "", ...fragment] = url.split("#");
  return [maskUrl(address), ...fragment].join("#");
}
