import type { EdgeAnswer } from "../edge-request.ts";
import { PHONE } from "./built/phone.ts";
import type { BuiltPage } from "./built-page.ts";

interface Shown {
  /** The channel asks no visitor for a proof. */
  readonly isUnsigned?: boolean | undefined;
  /** It is a developer who looks. */
  readonly showsReasons?: boolean;
}

/** The phone page, whole: nothing in it is loaded from anywhere else. */
export function phonePage(channel: string, { isUnsigned, showsReasons }: Shown): EdgeAnswer {
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policyOf(PHONE),
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
    // A channel's name is lower-case letters, digits and dashes: safe in an attribute.
    body: PHONE.html
      .replace("{{channel}}", channel)
      .replace("{{proofs}}", isUnsigned ? "none" : "asked")
      .replace("{{reasons}}", showsReasons ? "shown" : "kept"),
  };
}

/** Only this script and style run, and they talk to this service only: a reply cannot smuggle in a script. */
function policyOf({ script, style }: BuiltPage): string {
  return [
    "default-src 'none'",
    `script-src ${script}`,
    `style-src ${style}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
