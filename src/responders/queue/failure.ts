import { LullError } from "../../errors.ts";

/** A person has to look: another try would end the same way. */
const NOT_FOUND = new Set(["QueueDoesNotExist", "NonExistentQueue", "InvalidAddress"]);
const FORBIDDEN = new Set([
  "AccessDenied",
  "AccessDeniedException",
  "InvalidClientTokenId",
  "InvalidSecurity",
  "SignatureDoesNotMatch",
  "UnrecognizedClientException",
  "KmsAccessDenied",
  "KmsDisabled",
  "KmsInvalidKeyUsage",
  "KmsInvalidState",
  "KmsNotFound",
  "KmsOptInRequired",
]);
const REJECTED = new Set([
  "InvalidMessageContents",
  "InvalidParameterValue",
  "MissingParameter",
  "UnsupportedOperation",
]);

/** What SQS said, as the one answer that matters. Everything unknown may pass: throttling, outages, tokens that are renewed. */
export function failure(error: unknown): LullError {
  const name = nameOf(error);
  if (NOT_FOUND.has(name)) return never("QUEUE_NOT_FOUND", "there is no such queue in its region", error);
  if (FORBIDDEN.has(name))
    return never("QUEUE_FORBIDDEN", `SQS does not let us write there (${name})`, error);
  if (REJECTED.has(name)) return never("QUEUE_REJECTED", `SQS does not take this message (${name})`, error);
  return new LullError(`the queue could not be reached (${name})`, {
    code: "QUEUE_UNAVAILABLE",
    retry: "later",
    cause: error,
  });
}

export function tooLarge(bytes: number, bytesMax: number, historyMessages: number): LullError {
  const advice = historyMessages === 0 ? "" : `; ${historyMessages} messages of history are among them`;
  return never("QUEUE_TOO_LARGE", `the turn has ${bytes} bytes, and a queue takes ${bytesMax}${advice}`);
}

function never(code: string, message: string, cause?: unknown): LullError {
  return new LullError(message, { code, retry: "never", ...(cause !== undefined && { cause }) });
}

/** Without the prefix of the older protocol: `AWS.SimpleQueueService.NonExistentQueue`. */
function nameOf(error: unknown): string {
  const { name = "Error", code } = error as { name?: string; code?: string };
  const told = name === "Error" && typeof code === "string" ? code : name;
  return told.split(".").at(-1) as string;
}
