import type { WebhookRequest } from "../../ports/channel.ts";

/** The parameters of a webhook in the order they came. A key may come more than once; blank values are values. */
export type Form = ReadonlyMap<string, readonly string[]>;

/** Twilio posts forms; with `bodySHA256` in the URL it posts JSON. Garbage becomes an empty or a strange form, never an error. */
export function readForm(request: WebhookRequest): Form {
  const isJson = request.headers["content-type"]?.includes("json") === true;
  return isJson ? readJson(request.body) : readUrlEncoded(request.body);
}

export function first(form: Form, key: string): string | undefined {
  return form.get(key)?.[0];
}

/** More than any real webhook has. */
const SMALL_BYTES_MAX = 10_000;

function readUrlEncoded(body: Buffer): Form {
  const text = body.toString("utf8");
  return grouped(new URLSearchParams(body.length > SMALL_BYTES_MAX ? withEquals(text) : text));
}

/** `a&b` is `a=&b=`, but Node 24 takes seconds for a megabyte of the former, before anybody has proven anything. */
function withEquals(text: string): string {
  const pairs = text.split("&").filter((pair) => pair !== "");
  return pairs.map((pair) => (pair.includes("=") ? pair : `${pair}=`)).join("&");
}

function readJson(body: Buffer): Form {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    if (typeof value !== "object" || value === null) return new Map();
    return grouped(Object.entries(value).filter(isText).map(wellFormed));
  } catch {
    return new Map();
  }
}

function isText(entry: [string, unknown]): entry is [string, string] {
  return typeof entry[1] === "string";
}

/** JSON may hold half a character, which fits in no URL; forms cannot. */
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
