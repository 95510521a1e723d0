import { RETRY_AFTER_MS_MAX } from "../core/defaults.ts";
import { CERTIFICATE_REFUSED } from "./connection-failure.ts";
import { BACKEND_AWAY, CONNECTION_LOST, FETCH_LATE, GRPC_AWAY } from "./outage-codes.ts";
import { retryAfterIn, retryAfterMs } from "./retry-after.ts";

/** A responder or provider is down and will be back: waiting helps, whatever the message was. */
export interface Outage {
  /** The pause that it asked for, if any. */
  readonly retryAfterMs?: number;
}

/** "Not now" by name. These come with a status that says something else: DynamoDB throttles with a 400. */
const THROTTLED = new RegExp(
  "Throttl(ing|ed)|(Request|Bandwidth)LimitExceeded|RateLimit|TooManyRequests|ThroughputExceeded|" +
    "SlowDown|RequestTimeout|TransactionInProgress",
);

/** `AbortError`, `APIConnectionTimeoutError`, `ServiceUnavailableException`: no code, no status. */
const GONE_BY_NAME = new RegExp(
  "(Abort|Connection|Network|Timeout|TimedOut|InternalServer|Unavailable|ServerSelection|" +
    "MaxRetriesPerRequest|HTTPParser)(Error|Exception)$",
);

/** How many errors of a chain are looked at. No honest chain of causes is longer. */
const LOOKS_MAX = 64;

/** `no`: the error clearly says that another try cannot help, or that the message itself may be at fault. */
type Verdict = Outage | "no" | undefined;

interface Looking {
  readonly nowMs: number;
  looksLeft: number;
}

/**
 * What an error says about an outage, by its shape alone: a responder may throw any SDK's error. Undefined if
 * it cannot be told, or if another try cannot help. The outermost error with a clear meaning decides.
 */
export function outageOf(error: unknown, nowMs: number): Outage | undefined {
  const verdict = judge(error, { nowMs, looksLeft: LOOKS_MAX });
  return verdict === "no" ? undefined : verdict;
}

function judge(error: unknown, looking: Looking): Verdict {
  // Counted before anything else: a list of a billion holes must not be looked at longer than one of errors.
  looking.looksLeft -= 1;
  if (looking.looksLeft < 0 || !isObject(error)) return undefined;
  return ownVerdict(error, looking.nowMs) ?? anyOf(error, looking) ?? judge(get(error, "cause"), looking);
}

/** Of many failures (`Promise.any`, one per address family) one outage is enough. */
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

/** Only error statuses count: a status of 200 beside an error says nothing about it. */
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
  // A bare number may mean anything; beside gRPC's `details` it is gRPC's.
  if (typeof code === "number") return GRPC_AWAY.has(code) && typeof get(error, "details") === "string";
  return [code, get(error, "errno"), get(error, "type"), get(error, "status")].some(isAway);
}

function isAway(code: unknown): boolean {
  if (typeof code !== "string") return false;
  // Firebase puts the product in front: `functions/unavailable`.
  const last = code.slice(code.lastIndexOf("/") + 1);
  return (
    CONNECTION_LOST.has(code) ||
    // Node's parser: the answer was no HTTP.
    code.startsWith("HPE_") ||
    CERTIFICATE_REFUSED.has(code) ||
    BACKEND_AWAY.has(last) ||
    FETCH_LATE.has(code)
  );
}

/** Some SDKs leave `name` at "Error": then only their class tells. */
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
    ...headers.map((each) => retryAfterIn((name) => header(each, name), { nowMs })),
  ];
  return told.find((ms) => ms !== undefined);
}

/** From a `Headers`, or from a plain object, as most SDKs store them. */
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

/** An error may be anything, getters and proxies included: a field that cannot be read counts as absent. */
function get(from: unknown, key: string): unknown {
  if (!isObject(from)) return undefined;
  try {
    return (from as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}
