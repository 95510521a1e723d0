import { RETRY_AFTER_MS_MAX } from "../core/defaults.ts";
import { CERTIFICATE_REFUSED } from "./connection-failure.ts";
import { BACKEND_AWAY, CONNECTION_LOST, FETCH_LATE, GRPC_AWAY } from "./outage-codes.ts";
import { retryAfterMs } from "./retry-after.ts";

/** Somebody else is away, and will be back: time mends it, whatever the message was. */
export interface Outage {
  /** How long they asked to be left alone, where they did. */
  readonly retryAfterMs?: number;
}

/** "Not now" by name. These come with a status that says something else: DynamoDB throttles with a 400. */
const THROTTLED =
  /Throttl(ing|ed)|(Request|Bandwidth)LimitExceeded|RateLimit|TooManyRequests|ThroughputExceeded|SlowDown|RequestTimeout|TransactionInProgress/;

/** `AbortError`, `APIConnectionTimeoutError`, `ServiceUnavailableException`: SDKs that set neither code nor status. */
const GONE_BY_NAME =
  /(Abort|Connection|Network|Timeout|TimedOut|InternalServer|Unavailable|ServerSelection|MaxRetriesPerRequest|HTTPParser)(Error|Exception)$/;

/** How far an error is looked into. Deeper is nobody's honest chain of causes. */
const LOOKS_MAX = 64;

/** `no`: whoever threw it was told clearly that trying again helps nobody, or that the message itself may be at fault. */
type Verdict = Outage | "no" | undefined;

interface Looking {
  readonly nowMs: number;
  looksLeft: number;
}

/**
 * What an error says about an outage, told by its shape alone: a responder may throw whatever its SDK threw. Undefined where nobody
 * can tell, or where trying again helps nobody. The outermost error that says something clear is believed.
 */
export function outageOf(error: unknown, nowMs: number): Outage | undefined {
  const verdict = judge(error, { nowMs, looksLeft: LOOKS_MAX });
  return verdict === "no" ? undefined : verdict;
}

function judge(error: unknown, looking: Looking): Verdict {
  // Counted before anything else: a list of a billion holes is looked at no longer than one of errors.
  looking.looksLeft -= 1;
  if (looking.looksLeft < 0 || !isObject(error)) return undefined;
  return ownVerdict(error, looking.nowMs) ?? anyOf(error, looking) ?? judge(get(error, "cause"), looking);
}

/** Of many failures (`Promise.any`, an address family each) one outage is enough: without it there would have been an answer. */
function anyOf(error: object, looking: Looking): Outage | undefined {
  const errors = get(error, "errors");
  const count = Number(get(errors, "length"));
  for (let n = 0; n < count && looking.looksLeft > 0; n += 1) {
    const verdict = judge(get(errors, String(n)), looking);
    if (verdict !== undefined && verdict !== "no") return verdict;
  }
  return undefined;
}

function ownVerdict(error: object, nowMs: number): Verdict {
  const said = get(error, "retry");
  if (said === "never") return "no";
  if (said === "later") return get(error, "outage") === false ? "no" : outage(error, nowMs);
  if (isObject(get(error, "$retryable")) || isNamed(error, THROTTLED)) return outage(error, nowMs);
  const status = statusOf(error);
  if (status !== undefined) return passes(status) ? outage(error, nowMs) : "no";
  return hasAwayCode(error) || isNamed(error, GONE_BY_NAME) ? outage(error, nowMs) : undefined;
}

/** The statuses that say "not now" rather than "not like this". */
export function passes(status: number): boolean {
  return status === 408 || status === 429 || (status >= 500 && status < 600);
}

/** Only what is an error by number: a status of 200 beside an error says nothing about it. */
function statusOf(error: object): number | undefined {
  const response = get(error, "response");
  const metadata = get(error, "$metadata");
  const told = [
    get(error, "status"),
    get(error, "statusCode"),
    get(error, "status_code"),
    get(response, "status"),
    get(response, "statusCode"),
    get(metadata, "httpStatusCode"),
    // Google's clients put the status there.
    get(error, "code"),
  ];
  return told.map(httpStatus).find((status) => status !== undefined);
}

function httpStatus(value: unknown): number | undefined {
  const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
  return typeof status === "number" && status >= 400 && status < 600 ? status : undefined;
}

function hasAwayCode(error: object): boolean {
  const code = get(error, "code");
  // A bare number is anybody's; beside gRPC's `details` it is gRPC's.
  if (typeof code === "number") return GRPC_AWAY.has(code) && typeof get(error, "details") === "string";
  return [code, get(error, "errno"), get(error, "type"), get(error, "status")].some(isAway);
}

function isAway(code: unknown): boolean {
  if (typeof code !== "string") return false;
  // Firebase puts the product in front: `functions/unavailable`.
  const last = code.slice(code.lastIndexOf("/") + 1);
  return (
    CONNECTION_LOST.has(code) ||
    // Node's parser: whatever answered there, it was no HTTP.
    code.startsWith("HPE_") ||
    CERTIFICATE_REFUSED.has(code) ||
    BACKEND_AWAY.has(last) ||
    FETCH_LATE.has(code)
  );
}

/** Some SDKs leave `name` at "Error": their class is the only thing that tells. */
function isNamed(error: object, names: RegExp): boolean {
  return [get(error, "name"), get(get(error, "constructor"), "name")].some(
    (name) => typeof name === "string" && names.test(name),
  );
}

function outage(error: object, nowMs: number): Outage {
  const told = toldMs(error, nowMs);
  return told === undefined ? {} : { retryAfterMs: told };
}

function toldMs(error: object, nowMs: number): number | undefined {
  const inMs = get(error, "retryAfterMs");
  if (typeof inMs === "number") return inMs >= 0 ? Math.min(inMs, RETRY_AFTER_MS_MAX) : undefined;
  const headers = [
    get(error, "headers"),
    get(error, "responseHeaders"),
    get(get(error, "response"), "headers"),
    get(get(error, "$response"), "headers"),
  ];
  const told = [
    retryAfterMs(text(get(error, "retryAfter")), nowMs),
    ...headers.map((each) => inHeaders(each, nowMs)),
  ];
  return told.find((ms) => ms !== undefined);
}

function inHeaders(headers: unknown, nowMs: number): number | undefined {
  const inMs = header(headers, "retry-after-ms");
  const given = inMs === null ? header(headers, "retry-after") : String(Number(inMs) / 1_000);
  // A date is best compared with the clock of whoever wrote it.
  const theirNowMs = Date.parse(header(headers, "date") ?? "");
  return retryAfterMs(given, Number.isNaN(theirNowMs) ? nowMs : theirNowMs);
}

/** From a `Headers`, or from a plain object as most SDKs keep them. */
function header(headers: unknown, name: string): string | null {
  if (!isObject(headers)) return null;
  const lookUp = get(headers, "get");
  try {
    if (typeof lookUp === "function") return text(lookUp.call(headers, name));
    const key = Object.keys(headers).find((each) => each.toLowerCase() === name);
    return key === undefined ? null : text(get(headers, key));
  } catch {
    return null;
  }
}

function text(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

/** An error may be anything, getters and proxies included: what cannot be read says nothing. */
function get(from: unknown, key: string): unknown {
  if (!isObject(from)) return undefined;
  try {
    return (from as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}
