import { URL_LENGTH_MAX } from "../../core/defaults.ts";
import { isInstant } from "../../core/instant.ts";
import type { InboundMessage, Media } from "../../model/message.ts";
import type { Parsed, WebhookHead, WebhookRequest } from "../../ports/channel.ts";
import { type Fields, readObject } from "./body.ts";

/** Longest `id` and `sender`: both end up in keys. */
const NAME_MAX = 200;
const MEDIA_MAX = 10;

export const NOT_JSON = "the content-type must be application/json";

/** Any page may post text and forms to us from its visitors' browsers; for JSON a browser asks us first. */
export function isJson({ headers }: WebhookHead): boolean {
  return /^application\/([\w.-]+\+)?json\b/i.test(headers["content-type"] ?? "");
}

/**
 * `{ id, sender, text, media?, sent_at? }`. A program reads the answer, so it lists everything that is wrong
 * at once.
 */
export function parse(request: WebhookRequest, address: string): Parsed {
  if (!isJson(request)) return invalid(NOT_JSON);
  const fields = readObject(request.body);
  if (fields === undefined) return invalid("the body must be a JSON object with id, sender and text");
  const problems: string[] = [];
  const id = nameIn(fields, "id", problems);
  const sender = nameIn(fields, "sender", problems);
  const media = mediaIn(fields, problems);
  const text = fields.text ?? "";
  if (typeof text !== "string") problems.push("text must be a string");
  else if (text === "" && media.length === 0) problems.push("text is missing");
  const sentAtMs = timeIn(fields, problems);
  if (problems.length > 0) return invalid(problems.join("; "));
  const message: InboundMessage = {
    // Pages choose their own ids, so one visitor's id must never collide with another's.
    providerId: `${encodeURIComponent(sender)}/${id}`,
    account: address,
    address,
    sender,
    replyTo: sender,
    // A page may have cut a text in the middle of an emoji; not every reader of JSON forgives that.
    text: String(text).toWellFormed(),
    media,
    ...(sentAtMs === undefined ? {} : { sentAtMs }),
  };
  return { kind: "updates", messages: [message], statuses: [] };
}

function nameIn(fields: Fields, key: string, problems: string[]): string {
  const value = fields[key];
  if (value === undefined || value === null || value === "") problems.push(`${key} is missing`);
  else if (typeof value !== "string") problems.push(`${key} must be a string`);
  else if (!value.isWellFormed()) problems.push(`${key} is not well-formed Unicode`);
  else if (value.length > NAME_MAX) problems.push(`${key} is longer than ${NAME_MAX} characters`);
  else return value;
  return "";
}

function mediaIn({ media }: Fields, problems: string[]): Media[] {
  if (media === undefined || media === null) return [];
  if (!Array.isArray(media) || media.length > MEDIA_MAX || !media.every(isMedia)) {
    problems.push(
      `media must be a list of at most ${MEDIA_MAX} objects with an http(s) url and a content_type`,
    );
    return [];
  }
  if (media.some(isLong))
    problems.push(
      `a url of media may have ${URL_LENGTH_MAX} characters, its content_type and its name ${NAME_MAX}`,
    );
  return media.map(({ url, content_type, name }) => ({
    url,
    contentType: content_type,
    ...(typeof name === "string" && name !== "" ? { name } : {}),
  }));
}

function isMedia(item: unknown): item is { url: string; content_type: string; name?: unknown } {
  const { url, content_type } = Object(item) as Fields;
  return (
    typeof url === "string" &&
    /^https?:\/\//.test(url) &&
    typeof content_type === "string" &&
    content_type !== ""
  );
}

function isLong({ url, content_type, name }: { url: string; content_type: string; name?: unknown }): boolean {
  return (
    url.length > URL_LENGTH_MAX || content_type.length > NAME_MAX || String(name ?? "").length > NAME_MAX
  );
}

/** Milliseconds, or a date as JSON writes it. */
function timeIn({ sent_at }: Fields, problems: string[]): number | undefined {
  if (sent_at === undefined || sent_at === null) return undefined;
  const atMs = typeof sent_at === "string" ? Date.parse(sent_at) : sent_at;
  if (typeof atMs === "number" && isInstant(atMs)) return Math.round(atMs);
  problems.push("sent_at must be milliseconds or a date such as 2026-11-15T05:00:00.000Z");
  return undefined;
}

function invalid(why: string): Parsed {
  return { kind: "invalid", why };
}
