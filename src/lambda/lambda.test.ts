import { describe, expect, test } from "vitest";
import { aws } from "../engines/aws/index.ts";
import { memory } from "../engines/memory/index.ts";
import { sqlite } from "../engines/sqlite/index.ts";
import { testChannel } from "../testing/test-channel.ts";
import { lambdaHandlers } from "./index.ts";

const rest = { channels: { test: testChannel() }, respond: () => "ok", log: () => {} };
const context = { getRemainingTimeInMillis: () => 30_000 };

describe("functions are made for the AWS engine", () => {
  test("and for no other: a compiler says so, and a caller without one is told at once", () => {
    // @ts-expect-error: no queue of SQLite's wakes a function.
    expect(() => lambdaHandlers({ ...rest, engine: sqlite({ file: "lull.db" }) })).toThrow(
      "the functions run on DynamoDB and SQS alone: engine must be aws() of lull/aws, not sqlite",
    );
    // @ts-expect-error: nor does one of memory's.
    expect(() => lambdaHandlers({ ...rest, engine: memory() })).toThrow("not memory");
    // @ts-expect-error: none at all.
    expect(() => lambdaHandlers(rest)).toThrow("not missing");
  });

  test("of a configuration that is made with the first event, the first event tells", async () => {
    // @ts-expect-error: the same, a moment later.
    const { worker } = lambdaHandlers(async () => ({ ...rest, engine: memory() }));
    await expect(worker({ Records: [] }, context)).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  test("which is asked for by its type", () => {
    expect(Object.keys(lambdaHandlers({ ...rest, engine: aws() }))).toEqual([
      "webhook",
      "api",
      "worker",
      "sweeper",
    ]);
    expect(lambdaHandlers(() => ({ ...rest, engine: aws() }))).toBeDefined();
  });
});
