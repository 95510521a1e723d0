/** What an AWS SDK throws, as far as Lull looks at it. */
export interface SdkError {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly CancellationReasons?: readonly { readonly Code?: string }[];
}

const THROTTLED = [
  "ProvisionedThroughputExceededException",
  "ThrottlingException",
  "ThrottledException",
  "RequestLimitExceeded",
  "RequestThrottled",
  "TooManyRequestsException",
];

/** Another transaction touched the same item at the same instant. Nothing was written: try again. */
const IN_THE_WAY = ["TransactionConflictException", "TransactionInProgressException"];

const UNREACHABLE = [
  "TimeoutError",
  "RequestTimeout",
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "ENOTFOUND",
];

/** The caller is known, but not allowed to do this. */
const FORBIDDEN = ["AccessDeniedException", "AccessDenied"];

const UNPROVEN = [
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "InvalidClientTokenId",
  "InvalidSecurity",
  "SignatureDoesNotMatch",
  "MissingAuthenticationTokenException",
  "IncompleteSignature",
  "CredentialsProviderError",
];

const KEY_REFUSED = [
  "KmsAccessDenied",
  "KmsDisabled",
  "KmsInvalidKeyUsage",
  "KmsInvalidState",
  "KmsNotFound",
  "KmsOptInRequired",
];

const MISSING = ["ResourceNotFoundException", "QueueDoesNotExist", "NonExistentQueue", "InvalidAddress"];

/** A queue rejects this message, now and later. */
const REJECTED = [
  "InvalidMessageContents",
  "InvalidParameterValue",
  "MissingParameter",
  "UnsupportedOperation",
];

/** The one table of AWS error names. */
const KINDS = {
  throttled: THROTTLED,
  "in-the-way": IN_THE_WAY,
  unreachable: UNREACHABLE,
  forbidden: FORBIDDEN,
  unproven: UNPROVEN,
  "key-refused": KEY_REFUSED,
  missing: MISSING,
  rejected: REJECTED,
  condition: ["ConditionalCheckFailedException"],
  cancelled: ["TransactionCanceledException"],
  invalid: ["ValidationException"],
} as const;

export type AwsErrorKind = keyof typeof KINDS;

const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) => names.map((name) => [name, kind as AwsErrorKind])),
);

/** Undefined for errors that are not in the table: outages, expired tokens, names that AWS adds later. */
export function kindOf(error: unknown): AwsErrorKind | undefined {
  const { code = "" } = sdkErrorFrom(error);
  return KIND_OF.get(nameOf(error)) ?? (UNREACHABLE.includes(code) ? "unreachable" : undefined);
}

/** Without the prefix of the older protocol: `AWS.SimpleQueueService.NonExistentQueue`. */
export function nameOf(error: unknown): string {
  const { name, code } = sdkErrorFrom(error);
  const told = name === "Error" && typeof code === "string" ? code : name;
  return told.split(".").at(-1) as string;
}

export function sdkErrorFrom(error: unknown): SdkError {
  return typeof error === "object" && error !== null && "name" in error
    ? (error as SdkError)
    : { name: "Error", message: String(error) };
}
