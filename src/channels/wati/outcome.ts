import type { Outgoing, SendOutcome } from "../../ports/channel.ts";
import { type Fields, readObject } from "../../wire/json-object.ts";
import { retryAfterMs } from "../../wire/retry-after.ts";
import { firstText, objectIn } from "./body.ts";

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: string;
}

/** WATI says "no" with these statuses and, more often, with a 200 whose `result` is false. */
const REFUSALS = new Set([400, 402, 403, 404, 405, 413, 414, 415, 422]);
const TOO_MANY = /\brate\b|too many|throttl|\blimit/i;

export function outcomeOf(answer: Answer, outgoing: Outgoing, nowMs: number): SendOutcome {
  const { status } = answer;
  if (status === 429) return later(answer, nowMs);
  // The token is wrong: an operator changes it. The message itself was never looked at.
  if (status === 401)
    return {
      kind: "not-sent",
      retry: "later",
      credentials: true,
      why: "WATI answered 401: it does not accept the token",
    };
  if (REFUSALS.has(status)) return { kind: "not-sent", retry: "never", why: `WATI answered ${status}` };
  if (status < 200 || status >= 300) return { kind: "unknown", why: `WATI answered ${status}` };
  const body = readObject(answer.body);
  if (body === undefined) return { kind: "unknown", why: `WATI answered ${status} without JSON` };
  switch (resultIn(body)) {
    case "taken":
      return { kind: "sent", providerId: idIn(body, outgoing) };
    case "refused":
      // All words of the refusal decide. Only WATI's own reason is repeated: others may quote the customer.
      if (TOO_MANY.test(answer.body)) return later(answer, nowMs);
      return {
        kind: "not-sent",
        retry: "never",
        why: `WATI answered that it did not send it (result: false${reasonIn(body)})`,
      };
    default:
      return { kind: "unknown", why: `WATI answered ${status} without saying whether it was sent` };
  }
}

function resultIn({ result, ok }: Fields): "taken" | "refused" | undefined {
  const word = typeof result === "string" ? result.toLowerCase() : result;
  if (word === false || ok === false || word === "error" || word === "failed" || word === "fail")
    return "refused";
  return word === true || ok === true || word === "success" || word === "pending" ? "taken" : undefined;
}

const INFO_MAX = 120;
/** Numbers of customers, and what may be a key. */
const UNTOLD = /\+?\d[\d ()-]{4,}\d|[\w.-]{24,}/g;

function reasonIn({ info }: Fields): string {
  if (typeof info !== "string") return "";
  const words = info.replace(/[\s\p{Cc}]+/gu, " ").replace(UNTOLD, "…");
  return words.trim() === "" ? "" : `: ${[...words.trim()].slice(0, INFO_MAX).join("")}`;
}

/** Accepted without an id is still accepted: a name of ours is better than sending it again. */
function idIn(body: Fields, { reference }: Outgoing): string {
  const ids = ["whatsappMessageId", "localMessageId", "id"];
  const id = firstText(objectIn(body.message), ...ids) ?? firstText(body, ...ids);
  return id ?? `wati-${reference.turnId}.${reference.chunk}`;
}

function later({ status, retryAfter }: Answer, nowMs: number): SendOutcome {
  const waitMs = retryAfterMs(retryAfter, nowMs);
  const why = `WATI answered ${status}: too many requests`;
  return { kind: "not-sent", retry: "later", why, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) };
}
