import { LullError } from "../../errors.ts";
import { kindOf, nameOf } from "../../wire/aws-errors.ts";

/**
 * What SQS said, as retry later or never. Everything unknown may pass: throttling, outages, tokens that are
 * renewed.
 */
export function failure(error: unknown): LullError {
  const [name, kind] = [nameOf(error), kindOf(error)];
  if (kind === "missing") return never("QUEUE_NOT_FOUND", "there is no such queue in its region", error);
  if (kind === "forbidden" || kind === "unproven" || kind === "key-refused")
    return never("QUEUE_FORBIDDEN", `SQS does not let us write there (${name})`, error);
  if (kind === "rejected") return never("QUEUE_REJECTED", `SQS does not take this message (${name})`, error);
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
