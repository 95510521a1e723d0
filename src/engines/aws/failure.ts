import { DeadlineMissed } from "../../core/deadline.ts";
import { ConfigError, LullError, StoreUnavailable } from "../../errors.ts";

/** What the SDK throws, as far as anything here looks at it. */
interface SdkError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

const THROTTLED = new Set([
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "ThrottledException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "TooManyRequestsException",
]);

/** Somebody else's transaction touched the same item at the same instant. Nothing was written; it only has to be tried again. */
const IN_THE_WAY = new Set(["TransactionConflictException", "TransactionInProgressException"]);

const UNREACHABLE = new Set([
  "TimeoutError",
  "RequestTimeout",
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENOTFOUND",
]);

const PASSING_REASONS = new Set([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
  "RequestLimitExceeded",
]);

/** Known, and not allowed to do this. */
const FORBIDDEN = new Set(["AccessDeniedException", "AccessDenied"]);

const NOT_ALLOWED = new Set([
  ...FORBIDDEN,
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "InvalidClientTokenId",
  "SignatureDoesNotMatch",
  "MissingAuthenticationTokenException",
  "IncompleteSignature",
  "CredentialsProviderError",
]);

const MISSING = new Set([
  "ResourceNotFoundException",
  "QueueDoesNotExist",
  "AWS.SimpleQueueService.NonExistentQueue",
]);

/** What no trying again makes possible: too large for an item, another type than the change wants. */
const IMPOSSIBLE_REASONS = new Set(["ValidationError", "ItemCollectionSizeLimitExceeded"]);

/** A write that can never succeed as it is. */
export class ImpossibleWrite extends LullError {
  override readonly name = "ImpossibleWrite";
  /** Which actions of a transaction, where the store told. */
  readonly actions: ReadonlySet<number>;

  constructor(message: string, cause: unknown, actions: ReadonlySet<number> = new Set()) {
    super(message, { code: "STORE_REFUSED", retry: "never", cause });
    this.actions = actions;
  }
}

export function isConditionFailed(error: unknown): boolean {
  return named(error).name === "ConditionalCheckFailedException";
}

export function isCancelled(error: unknown): boolean {
  return named(error).name === "TransactionCanceledException";
}

export function isForbidden(error: unknown): boolean {
  return FORBIDDEN.has(named(error).name);
}

export function isMissing(error: unknown): boolean {
  return MISSING.has(named(error).name);
}

/** Whether the same request may succeed in a moment. */
export function mayPass(error: unknown): boolean {
  const { name, code = "", $metadata, CancellationReasons } = named(error);
  if (THROTTLED.has(name) || IN_THE_WAY.has(name) || UNREACHABLE.has(name) || UNREACHABLE.has(code))
    return true;
  if (CancellationReasons) {
    const codes = CancellationReasons.map(({ Code = "None" }) => Code).filter((reason) => reason !== "None");
    return codes.length > 0 && codes.every((reason) => PASSING_REASONS.has(reason));
  }
  return ($metadata?.httpStatusCode ?? 0) >= 500;
}

/** An SDK error in our own words: what is wrong with which thing, and whether trying again can help. */
export function failure(error: unknown, what: string): LullError {
  if (error instanceof LullError) return error;
  const { name, message, CancellationReasons = [] } = named(error);
  if (MISSING.has(name)) {
    return new ConfigError(`${what} does not exist in this region; create it, or give its name`, error);
  }
  if (NOT_ALLOWED.has(name)) {
    return new ConfigError(`AWS does not let us use ${what} (${name}): check credentials and policy`, error);
  }
  if (name === "Error" && /region (is missing|not accepted)/i.test(message)) {
    return new ConfigError("no AWS region: set AWS_REGION or aws({ region })", error);
  }
  if (name === "ValidationException") return new ImpossibleWrite(`${what}: ${message}`, error);
  const impossible = impossibleIn(CancellationReasons);
  if (impossible.size > 0) return new ImpossibleWrite(`${what}: ${message}`, error, impossible);
  // Silence has no name of its own: a person who reads this has to know what was waited for.
  const why = error instanceof DeadlineMissed ? error.message : name;
  return new StoreUnavailable(`${what}: ${why}`, error);
}

function impossibleIn(reasons: NonNullable<SdkError["CancellationReasons"]>): Set<number> {
  return new Set(reasons.flatMap(({ Code = "" }, at) => (IMPOSSIBLE_REASONS.has(Code) ? [at] : [])));
}

function named(error: unknown): SdkError {
  return typeof error === "object" && error !== null && "name" in error
    ? (error as SdkError)
    : { name: "Error", message: String(error) };
}
