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
export const readForm = readOnce(({ headers, body }: WebhookRequest): Form =>
  isJson(headers) ? readJson(body) : readUrlEncoded(body),
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
  return hasTooMany(body) ? TOO_MANY : grouped(new URLSearchParams(body.toString("utf8")));
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
    return entries.length > PARAMETERS_MAX ? TOO_MANY : grouped(entries.filter(isText).map(wellFormed));
  } catch {
    return new Map();
  }
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}

/** JSON may hold half a surrogate pair, which fits in no URL; forms cannot. */
function wellFormed([key, value]: [string, string]): [string, string] {
  return [key, value.toWellFormed()];
}

function grouped(pairs: Iterable<[string, string]>): Form {
  const form = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const values = form.get(key);
    if (values === undefined) form.set(key, [value]);
    else values.push(value);
  }
  return form;
}
