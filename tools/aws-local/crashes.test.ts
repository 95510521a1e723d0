import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { FunctionInstance } from "./function-instance.ts";

const HANDLERS = fileURLToPath(new URL("./crashing-handlers.ts", import.meta.url));

it.each(["timer", "promise"])(
  "an uncaught %s ends a function before Lambda's runtime prints a customer's words",
  async (handler) => {
    const lines: string[] = [];
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const instance = new FunctionInstance({
      handler: `${HANDLERS}#${handler}`,
      env: { PATH, NODE_COMPILE_CACHE, AWS_LAMBDA_RUNTIME_API: "127.0.0.1:9001" },
      write: (line) => void lines.push(line),
    });
    try {
      expect(await instance.invoke({ event: {}, timeoutMs: 60_000 })).toEqual({
        kind: "error",
        error: { errorType: "Runtime.ExitError", errorMessage: "exit status: 1" },
      });
    } finally {
      instance.kill();
      await instance.gone();
    }
    const crash = lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));
    expect(crash).toMatchObject([{ level: "ERROR", event: "process.crashed" }]);
    expect(crash[0].reason).toMatch(/^TypeError at crashing-handlers\.ts:\d+:\d+$/);
    expect(lines.join("\n")).not.toContain("card");
  },
);
