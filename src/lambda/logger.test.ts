import { describe, expect, test } from "vitest";
import { consoleLines } from "../../test/aws/console-lines.ts";
import { lambdaLog } from "./logger.ts";

const { lines, parsed } = consoleLines();

describe("a log line", () => {
  test("has the event as its message and as a field, the level, the service and the request", () => {
    const { log, begin } = lambdaLog("lull", {});
    begin({ awsRequestId: "r-1", functionName: "worker", getRemainingTimeInMillis: () => 1 });
    log("info", "turn.committed", { conversation: "c1", messages: 3 });
    expect(parsed()).toMatchObject([
      {
        level: "INFO",
        message: "turn.committed",
        event: "turn.committed",
        service: "lull",
        function_request_id: "r-1",
        conversation: "c1",
        messages: 3,
      },
    ]);
  });

  test("holds no texts and no addresses", () => {
    const { log } = lambdaLog("lull", {});
    log("warn", "webhook.refused", {
      sender: "+15550100123",
      text: "secret",
      reason: "from +50370000001, no",
    });
    expect(lines()[0]).not.toMatch(/15550100123|50370000001|secret/);
    expect(parsed()[0]).toMatchObject({ sender: "****23", reason: "from ****01, no" });
  });

  test.each([
    [{}, ["info", "warn", "error"]],
    [{ LULL_LOG_LEVEL: "debug" }, ["debug", "info", "warn", "error"]],
    [{ LULL_LOG_LEVEL: "error" }, ["error"]],
  ])("with %o is written for some levels", (env, expected) => {
    const { log } = lambdaLog("lull", env);
    for (const level of ["debug", "info", "warn", "error"] as const) log(level, "x");
    expect(parsed().map(({ level }) => String(level).toLowerCase())).toEqual(expected);
  });

  test("keeps fields that Powertools has names for", () => {
    const { log } = lambdaLog("lull", {});
    log("info", "x", { level: "high", service: "other", message: "words", timestamp: 7 });
    expect(lines()).toHaveLength(1);
    expect(parsed()[0]).toMatchObject({
      level: "INFO",
      message: "x",
      service: "lull",
      field_message: "words",
      field_timestamp: 7,
    });
  });
});
