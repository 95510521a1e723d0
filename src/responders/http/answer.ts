import type { Reply } from "../../model/reply.ts";
import type { AnswerHeaders, HttpAnswer } from "../../wire/http-call.ts";
import { retryAfterIn } from "../../wire/retry-after.ts";
import { notAnAnswer, refusedBy, unreadable } from "./failure.ts";
import { replyFrom } from "./reply.ts";

export const ANSWER_BYTES_MAX = 1_000_000;

/** How long a service that says 202 without a time has for its answer. */
const LATER_SECONDS = 300;

/** The words of an error are not read: its status says enough. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** 200: the reply. 202: it comes later. 204: there is none. Anything else is an error. */
export function readAnswer(answer: HttpAnswer, host: string): Reply {
  const { status, headers, text } = answer;
  if (!isSuccess(status)) throw refusedBy(host, answer);
  if (text === undefined) throw unreadable(`it is larger than ${ANSWER_BYTES_MAX} bytes`);
  if (status === 202) return answersLater(headers, text);
  if (status === 204 || text.trim() === "") return null;
  return replyIn(headers, text);
}

function replyIn(headers: AnswerHeaders, text: string): Reply {
  const type = contentType(headers);
  if (isJson(type)) return replyFrom(parsed(text));
  // Bare servers name no type at all. A web page is never meant for a chat: a proxy is in the way.
  if (type === "" || type === "text/plain") return text;
  throw notAnAnswer("it is neither text/plain nor application/json");
}

/** The service has accepted the work, so nothing else in its body may turn this into an error. */
function answersLater(headers: AnswerHeaders, text: string): Reply {
  const told = laterSecondsIn(text);
  const retryAfterMs =
    retryAfterIn((name) => headers.get(name), { maxMs: Number.POSITIVE_INFINITY }) || LATER_SECONDS * 1_000;
  return { laterSeconds: told ?? retryAfterMs / 1_000 };
}

function laterSecondsIn(text: string): number | undefined {
  try {
    const json = JSON.parse(text);
    const seconds: unknown = json?.laterSeconds ?? json?.later_seconds;
    return typeof seconds === "number" && seconds > 0 ? seconds : undefined;
  } catch {
    return undefined;
  }
}

function contentType(headers: AnswerHeaders): string {
  return (headers.get("content-type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

function isJson(type: string): boolean {
  return type === "application/json" || type.endsWith("+json");
}

function parsed(text: string): unknown {
  try {
    // A model that cuts an emoji in half is still answered with.
    return JSON.parse(text, (_, value) => (typeof value === "string" ? value.toWellFormed() : value));
  } catch {
    throw notAnAnswer("it says that it is JSON and is not");
  }
}
