import type { WebhookRequest } from "../../ports/channel.ts";
import { readOnce } from "../../wire/read-once.ts";

/**
 * The parameters of a webhook in the order they came. A key may come more than once; blank values are values.
 */
export type Form = ReadonlyMap<string, readonly string[]>;

/** Four times what the fullest webhook has. Each parameter is work before the caller has proven anything. */
export const PARAMETERS_MAX = 256;

const AMPERSAND = 0x26;

/** Stands for a form with more parameters than that: none of them is read. */
export const TOO_MANY: Form = new Map();

/**
 * Twilio posts forms; with `bodySHA256` in the URL it posts JSON. Garbage becomes an empty or a strange form,
 * never an error.
 */
export const readForm = readOnce(
  ({ headers, body }: WebhookRequest): Form => (isJson(headers) ? readJson(body) : readUrlEncoded(body)),
);

type Headers = WebhookRequest["headers"];

export function isForm(headers: Headers): boolean {
  return /^application\/x-www-form-urlencoded\b/i.test(headers["content-type"] ?? "");
}

/** The one test for every reader of a webhook: two readers must not disagree about what is a form. */
export function isJson(headers: Headers): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers["content-type"] ?? "");
}

export function first(form: Form, key: string): string | undefined {
  return form.get(key)?.[0];
}

function readUrlEncoded(body: Buffer): Form {
  if (hasTooMany(body)) return TOO_MANY;
  const form = new Map<string, string[]>();
  for (const piece of body.toString("utf8").split("&")) {
    const at = piece.indexOf("=");
    if (at !== -1) add(form, decoded(piece.slice(0, at)), decoded(piece.slice(at + 1)));
    else if (piece !== "") add(form, decoded(piece), "");
  }
  return form;
}

function decoded(piece: string): string {
  const spaced = piece.includes("+") ? piece.replaceAll("+", " ") : piece;
  if (!spaced.includes("%")) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    // Bytes that are no text: as every other reader of forms has them.
    return new URLSearchParams(`=${piece}`).get("") ?? "";
  }
}

/** Counted before anything is parsed. */
function hasTooMany(body: Buffer): boolean {
  let at = -1;
  for (let count = 0; count < PARAMETERS_MAX; count += 1) {
    at = body.indexOf(AMPERSAND, at + 1);
    if (at === -1) return false;
  }
  return true;
}

function readJson(body: Buffer): Form {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value !== "object" || value === null) return new Map();
    const entries = Object.entries(value);
    if (entries.length > PARAMETERS_MAX) return TOO_MANY;
    const form = new Map<string, string[]>();
    // JSON may hold half a surrogate pair, which fits in no URL; forms cannot.
    for (const [key, value] of entries) if (typeof value === "string") add(form, key, value.toWellFormed());
    return form;
  } catch {
    return new Map();
  }
}

function add(form: Map<string, string[]>, key: string, value: string): void {
  const values = form.get(key);
  if (values === undefined) form.set(key, [value]);
  else values.push(value);
}
