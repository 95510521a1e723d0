import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { eventually } from "../../test/lull-process.ts";
import type { InvocationResult } from "./function-instance.ts";
import { LocalFunction } from "./local-function.ts";
import type { Wish } from "./sample-handlers.ts";

const HANDLERS = fileURLToPath(new URL("./sample-handlers.ts", import.meta.url));

describe("a function on this machine", () => {
  let fn: LocalFunction;
  afterEach(() => fn.stop(Promise.resolve()));

  function sample({ handler = "wish", timeoutMs = 30_000, instancesMax = 2 } = {}): LocalFunction {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    fn = new LocalFunction({
      name: "sample",
      handler: `${HANDLERS}#${handler}`,
      env: { PATH, NODE_COMPILE_CACHE, AWS_LAMBDA_FUNCTION_NAME: "sample" },
      timeoutMs,
      instancesMax,
      write: () => {},
    });
    return fn;
  }

  const ask = (wish: Wish) => fn.invoke(wish);
  const pidIn = (result: InvocationResult) =>
    result.kind === "answer" ? (result.payload as { pid: number }).pid : undefined;

  it("is given event and context, and its answer comes back", async () => {
    sample();
    const result = await ask({ value: "héllo" });
    expect(result).toMatchObject({ kind: "answer", payload: { value: "héllo", functionName: "sample" } });
    const { remainingMs, awsRequestId } = (result as { payload: Record<string, unknown> }).payload;
    expect(remainingMs).toBeGreaterThan(1_000);
    expect(remainingMs).toBeLessThanOrEqual(30_000);
    expect(awsRequestId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("uses a warm instance again, starts another for a second event, and lets a third one wait", async () => {
    sample();
    const first = pidIn(await ask({}));
    expect(pidIn(await ask({}))).toBe(first);
    const pids = (await Promise.all([ask({}), ask({}), ask({})])).map(pidIn);
    expect(new Set(pids).size).toBe(2);
    expect(fn.instances.size).toBe(2);
  });

  it("that throws is an error with its name, and its instance goes on", async () => {
    sample({ instancesMax: 1 });
    const before = pidIn(await ask({}));
    expect(await ask({ does: "throw", value: "no" })).toEqual({
      kind: "error",
      error: { errorType: "TypeError", errorMessage: "no" },
    });
    expect(pidIn(await ask({}))).toBe(before);
  });

  it("is killed at its deadline, and the next event gets a new instance", async () => {
    sample({ instancesMax: 1, timeoutMs: 400 });
    const before = pidIn(await ask({}));
    expect(await ask({ does: "hang" })).toEqual({
      kind: "error",
      error: { errorType: "Sandbox.Timedout", errorMessage: "Task timed out after 0.40 seconds" },
    });
    const after = pidIn(await ask({}));
    expect(after).not.toBe(before);
    expect(() => process.kill(before!, 0)).toThrow("ESRCH");
  });

  it("whose process ends by itself or is killed fails its event, and the next one is served", async () => {
    sample({ instancesMax: 1 });
    expect(await ask({ does: "exit" })).toMatchObject({
      kind: "error",
      error: { errorType: "Runtime.ExitError", errorMessage: "exit status: 3" },
    });
    const hanging = ask({ does: "hang" });
    const [instance] = await eventually("the event", async () => (fn.busy.length > 0 ? fn.busy : undefined));
    await instance!.ready();
    instance!.kill();
    expect(await hanging).toMatchObject({ error: { errorMessage: "exit status: SIGKILL" } });
    expect(await ask({ value: 1 })).toMatchObject({ kind: "answer", payload: { value: 1 } });
  });

  it("that cannot be loaded says so before its first event", async () => {
    sample({ handler: "nothing" });
    await expect(fn.warmUp()).rejects.toThrow(
      /function sample does not start: .*exports no function nothing/,
    );
    expect(await ask({})).toMatchObject({ kind: "error" });
  });
});
