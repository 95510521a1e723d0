import { describe, expect, it } from "vitest";
import { RETRYING, retrying } from "../engines/aws/retry.ts";
import { LullError } from "../errors.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { failure, mayPass } from "./aws-failure.ts";

const sdkError = (name: string, more: object = {}) =>
  Object.assign(new Error("as AWS says it"), { name, ...more });
const cancelled = (...codes: string[]) =>
  sdkError("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });

describe("what AWS says", () => {
  it.each([
    [sdkError("ProvisionedThroughputExceededException"), true],
    [sdkError("ThrottlingException"), true],
    [sdkError("TimeoutError"), true],
    [sdkError("Error", { code: "ECONNRESET" }), true],
    [sdkError("InternalServerError", { $metadata: { httpStatusCode: 500 } }), true],
    [sdkError("TransactionInProgressException"), true],
    [cancelled("None", "TransactionConflict"), true],
    [cancelled("ThrottlingError", "TransactionConflict"), true],
    // A failed condition is an answer, whatever else was in the way.
    [cancelled("ConditionalCheckFailed", "TransactionConflict"), false],
    [cancelled("ValidationError"), false],
    [sdkError("ConditionalCheckFailedException"), false],
    [sdkError("AccessDeniedException", { $metadata: { httpStatusCode: 400 } }), false],
    ["not even an error", false],
  ])("%s may pass: %s", (error, expected) => {
    expect(mayPass(error)).toBe(expected);
  });

  it.each([
    [sdkError("ResourceNotFoundException"), "INVALID_CONFIG", "never", /table x does not exist/],
    [sdkError("AccessDeniedException"), "INVALID_CONFIG", "never", /credentials and policy/],
    [sdkError("CredentialsProviderError"), "INVALID_CONFIG", "never", /credentials/],
    [new Error("Region is missing"), "INVALID_CONFIG", "never", /AWS_REGION/],
    [sdkError("ValidationException"), "STORE_REFUSED", "never", /as AWS says it/],
    [sdkError("ThrottlingException"), "STORE_UNAVAILABLE", "later", /table x: ThrottlingException/],
    [cancelled("None", "ValidationError"), "STORE_REFUSED", "never", /as AWS says it/],
    // Something in it may pass, but not the whole.
    [cancelled("TransactionConflict", "ValidationError"), "STORE_REFUSED", "never", /table x/],
    ["something odd", "STORE_UNAVAILABLE", "later", /table x/],
  ])("%s is told as %s", (error, code, retry, message) => {
    const told = failure(error, "table x");
    expect([told.code, told.retry]).toEqual([code, retry]);
    expect(told.message).toMatch(message);
    expect(failure(told, "elsewhere")).toBe(told);
    expect(told).toBeInstanceOf(LullError);
  });
});

describe("trying again", () => {
  const HOW = { ...RETRYING, attemptsMax: 4, baseMs: 100 };

  it("waits longer each time, gives up after so many tries, and never repeats what cannot pass", async () => {
    const clock = fakeClock();
    const startAtMs = clock.nowMs();
    const triedAtMs: number[] = [];
    const throttled = async () => {
      triedAtMs.push(clock.nowMs() - startAtMs);
      throw sdkError("ThrottlingException");
    };
    const given = expect(retrying(throttled, HOW, clock)).rejects.toThrow("as AWS says it");
    await clock.advance(10_000);
    await given;
    const waits = triedAtMs.slice(1).map((atMs, at) => atMs - triedAtMs[at]!);
    expect(waits).toHaveLength(3);
    for (const [at, waitMs] of waits.entries()) {
      expect(waitMs).toBeGreaterThanOrEqual(50 * 2 ** at);
      expect(waitMs).toBeLessThanOrEqual(150 * 2 ** at);
    }
    let calls = 0;
    const refused = async () => {
      calls += 1;
      throw sdkError("AccessDeniedException");
    };
    await expect(retrying(refused, HOW, clock)).rejects.toThrow();
    expect(calls).toBe(1);
  });

  it("ends each try and all of them together at their deadlines, and says how long it waited", async () => {
    const clock = fakeClock();
    const startAtMs = clock.nowMs();
    const tries: { readonly atMs: number; readonly signal: AbortSignal }[] = [];
    const silent = ({ abortSignal }: { abortSignal: AbortSignal }) => {
      tries.push({ atMs: clock.nowMs() - startAtMs, signal: abortSignal });
      return new Promise<never>(() => {});
    };
    const given = retrying(silent, { ...RETRYING, baseMs: 0 }, clock).catch((error) => error);
    await clock.advance(RETRYING.callMsMax - 1);
    expect(tries.map(({ atMs }) => atMs)).toEqual([0, 3_000, 6_000]);
    expect(tries.map(({ signal }) => signal.aborted)).toEqual([true, true, false]);
    await clock.advance(1);
    expect(tries.map(({ signal }) => signal.aborted)).toEqual([true, true, true]);
    const told = failure(await given, "table x");
    expect([told.code, told.retry, told.message]).toEqual([
      "STORE_UNAVAILABLE",
      "later",
      "table x: no answer within 8 s",
    ]);
  });

  it("begins no other try when its time is over", async () => {
    const clock = fakeClock();
    let tries = 0;
    const throttled = async () => {
      tries += 1;
      throw sdkError("ThrottlingException");
    };
    const how = { ...RETRYING, callMsMax: 100, baseMs: 1_000 };
    const given = expect(retrying(throttled, how, clock)).rejects.toThrow("as AWS says it");
    await clock.advance(10_000);
    await given;
    expect(tries).toBe(1);
  });
});
