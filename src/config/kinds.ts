import type { SecretReference } from "../ports/secrets.ts";
import { PUBLIC_URL_RULE } from "../schema/plain-url.ts";
import { either, flag, list, type Schema, text, whole } from "../schema/schema.ts";

/** One for each option of a channel or a responder: an option that a file cannot set would be a surprise. */
export type SchemaOf<Options> = Readonly<Record<keyof Options, Schema>>;

/** What settings are made of, whichever way they come in. */
export const TEXT = text();
export const URL_KIND: Schema<string> = { type: "url" };
/** Some services want `?api-version=...`. */
export const ENDPOINT_URL: Schema<string> = { type: "url", query: true };
export const PUBLIC_URL: Schema<string> = { type: "url", ...PUBLIC_URL_RULE };
export const SECRET: Schema<string | SecretReference> = { type: "secret" };
export const COUNT = whole({ minimum: 1 });
export const COUNT_OR_NONE = whole({ minimum: 0 });
/** More processes than any machine has cores for. */
export const WORKERS_MAX = 256;
export const WORKERS = whole({ minimum: 1, maximum: WORKERS_MAX });
export const PORT = whole({ minimum: 0, maximum: 65_535 });
export const YES_NO = flag();
/** One text will do for a list of one. */
export const TEXTS = either(text(), list(text()));
export const FUNCTION: Schema = { type: "function" };
