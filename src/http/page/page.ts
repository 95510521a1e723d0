import { createHash } from "node:crypto";
import type { EdgeAnswer } from "../edge-request.ts";
import { markup } from "./markup.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";

/** The phone page, whole: nothing in it is loaded from anywhere else. */
export function phonePage(channel: string): EdgeAnswer {
  return {
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": POLICY,
      "cache-control": "no-cache",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    },
    body: markup({ channel, style: STYLE, script: SCRIPT }),
  };
}

/** Only this script and this style run, and they may talk to this service only: a reply cannot smuggle in anything. */
const POLICY = [
  "default-src 'none'",
  `script-src ${hashOf(SCRIPT)}`,
  `style-src ${hashOf(STYLE)}`,
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashOf(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
