import { ConfigError, LullError, StoreUnavailable } from "../errors.ts";
import { type AwsErrorKind, kindOf, type SdkError, sdkErrorFrom } from "./aws-errors.ts";
import { DeadlineMissed } from "./deadline.ts";

const PASSING_REASONS = new Set([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
  "RequestLimitExceeded",
]);

/** What no retry makes possible: too large for an item, or another type than the change wants. */
const IMPOSSIBLE_REASONS = new Set(["ValidationError", "ItemCollectionSizeLimitExceeded"]);

/** A write that can never succeed as it is. */
export class ImpossibleWrite extends LullError {
  override readonly name = "ImpossibleWrite";
  /** Which actions of a transaction, if the store said so. */
  readonly actions: ReadonlySet<number>;

  constructor(message: string, cause: unknown, actions: ReadonlySet<number> = new Set()) {
    super(message, { code: "STORE_REFUSED", retry: "never", cause });
    this.actions = actions;
  }
}

export function isConditionFailed(error: unknown): boolean {
  return kindOf(error) === "condition";
}

export function isCancelled(error: unknown): boolean {
  return kindOf(error) === "cancelled";
}

export function isForbidden(error: unknown): boolean {
  return kindOf(error) === "forbidden";
}

export function isMissing(error: unknown): boolean {
  return kindOf(error) === "missing";
}

const PASSING: ReadonlySet<AwsErrorKind | undefined> = new Set(["throttled", "in-the-way", "unreachable"]);

/** Whether the same request may succeed in a moment. */
export function mayPass(error: unknown): boolean {
  if (PASSING.has(kindOf(error))) return true;
  const { $metadata, CancellationReasons } = sdkErrorFrom(error);
  if (CancellationReasons) {
    const codes = CancellationReasons.map(({ Code = "None" }) => Code).filter((reason) => reason !== "None");
    return codes.length > 0 && codes.every((reason) => PASSING_REASONS.has(reason));
  }
  return ($metadata?.httpStatusCode ?? 0) >= 500;
}

/** An SDK error in our own words: what is wrong with which resource, and whether a retry can help. */
export function failure(error: unknown, what: string): LullError {
  if (error instanceof LullError) return error;
  const { name, message, code, CancellationReasons = [] } = sdkErrorFrom(error);
  const kind = kindOf(error);
  if (kind === "missing") {
    return new ConfigError(`${what} does not exist in this region; create it, or give its name`, error);
  }
  if (kind === "forbidden" || kind === "unproven") {
    return new ConfigError(`AWS does not let us use ${what} (${name}): check credentials and policy`, error);
  }
  if (name === "Error" && /region (is missing|not accepted)/i.test(message)) {
    return new ConfigError("no AWS region: set AWS_REGION or aws({ region })", error);
  }
  if (kind === "invalid") return new ImpossibleWrite(`${what}: ${message}`, error);
  const impossible = impossibleIn(CancellationReasons);
  if (impossible.size > 0) return new ImpossibleWrite(`${what}: ${message}`, error, impossible);
  // Silence has no name of its own: the operator who reads this must know how long we waited.
  const known = kind === "unreachable" ? `cannot be reached (${code ?? name})` : name;
  const why = error instanceof DeadlineMissed ? error.message : known;
  return new StoreUnavailable(`${what}: ${why}`, error);
}

function impossibleIn(reasons: NonNullable<SdkError["CancellationReasons"]>): Set<number> {
  return new Set(reasons.flatMap(({ Code = "" }, at) => (IMPOSSIBLE_REASONS.has(Code) ? [at] : [])));
}
