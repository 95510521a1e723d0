import { describe, expect, it } from "vitest";
import { ConfigError, LullError, tellable, wordsOf } from "./errors.ts";
import { testLull } from "./testing/test-lull.ts";

function withStack(stack: string): Error {
  return Object.assign(new TypeError("m"), { stack });
}

describe("what may be told of an error", () => {
  it("is its name, its code and its place; the words only of ours", () => {
    expect(tellable(Object.assign(new RangeError("secret"), { code: "E_X" }))).toMatch(
      /^RangeError E_X at errors\.test\.ts:\d+:\d+$/,
    );
    expect(tellable(new LullError("told", { code: "X", retry: "never" }))).toBe("LullError: told");
    expect(tellable("secret")).toBe("no error");
  });

  it.each([
    ["file:///srv/bot/lull.config.mjs:3:28", "lull.config.mjs:3:28"],
    ["respond (file:///srv/my bot/lull.config.mjs:3:28)", "lull.config.mjs:3:28"],
    ["async Bot.answer [as respond] (/srv/bot/answer.js:10:5)", "answer.js:10:5"],
    ["respond (C:\\bot\\answer.js:10:5)", "answer.js:10:5"],
    ["respond (webpack://bot/./src/answer.ts:10:5)", "answer.ts:10:5"],
    ["process.processTicksAndRejections (node:internal/process/task_queues:105:5)", "task_queues:105:5"],
    ["JSON.parse (<anonymous>)", undefined],
  ])("a place as V8 writes it is told: %s", (frame, place) => {
    expect(tellable(withStack(`TypeError: m\n    at ${frame}\n    at b (/x/y.js:1:1)`))).toBe(
      place === undefined ? "TypeError" : `TypeError at ${place}`,
    );
  });

  it.each([
    "    at my card is 4000-1234.js:1:2",
    "my-card-is-4000-1234-5678-9010.js:1:2",
    "    at respond (my-card-is-4000.js:1:2)",
    "    at respond (/x/bot.js:4000123456789010:1)",
    "    at respond (/x/bot.js:1:4000123456789010)",
    `    at respond (/x/${"card".repeat(20)}.js:1:2)`,
    "    at respond (/x/müller:1:2)",
    "    at respond (/x/a.js:1:2) my card is 4000.js:1:2",
  ])("a made-up place is not: %s", (frame) => {
    expect(tellable(withStack(`TypeError: m\n${frame}`))).toBe("TypeError");
  });
});

describe("what `fetch` failed of is in its cause alone", () => {
  const failed = Object.assign(new TypeError("fetch failed"), {
    cause: Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:9"), { code: "ECONNREFUSED" }),
  });

  it("and told: its code in the log, its words in the dead letter", () => {
    expect(tellable(failed)).toMatch(/^TypeError ECONNREFUSED at /);
    expect(wordsOf(failed)).toBe("TypeError: fetch failed (connect ECONNREFUSED 127.0.0.1:9)");
  });

  it("once: what repeats it adds nothing, and a cause without words has its code", () => {
    const cause = Object.assign(new AggregateError([]), { code: "ECONNREFUSED" });
    expect(wordsOf(Object.assign(new TypeError("fetch failed"), { cause }))).toBe(
      "TypeError: fetch failed (ECONNREFUSED)",
    );
    expect(wordsOf(new Error("no: away", { cause: new Error("away") }))).toBe("Error: no: away");
  });
});

describe("an error of another copy of lull", () => {
  type Errors = typeof import("./errors.ts");
  const another = (): Promise<Errors> => import(/* @vite-ignore */ `./errors.ts?${"copy"}`);

  it("is one of ours: a project has one copy, and the command that runs it may be another's", async () => {
    const copy = await another();
    expect(copy.LullError).not.toBe(LullError);
    const known = new copy.LullError("no such table", { code: "NO_TABLE", retry: "never" });
    expect([known instanceof LullError, known instanceof ConfigError]).toEqual([true, false]);
    expect(wordsOf(known)).toBe("NO_TABLE: no such table");
    const wrong = new copy.ConfigError("no port");
    expect([wrong instanceof LullError, wrong instanceof ConfigError]).toEqual([true, true]);
  });

  it("ends a turn at once where no other try can help", async () => {
    const copy = await another();
    let asked = 0;
    const lull = testLull({
      window: { seconds: 10 },
      respond: () => {
        asked += 1;
        throw new copy.LullError("closed for good", { code: "CLOSED", retry: "never" });
      },
    });
    await lull.receive("ana", "hi");
    await lull.advance(60_000);
    const { inspector } = await lull.service.engine();
    expect((await inspector.dead({ limit: 5 })).items).toMatchObject([{ reason: "CLOSED: closed for good" }]);
    expect(asked).toBe(1);
    await lull.stop();
  });
});

it("a class of one's own that extends an error of ours is itself and no other", () => {
  class Closed extends LullError {}
  const one = new LullError("m", { code: "X", retry: "never" });
  expect([one instanceof Closed, new Closed("m", { code: "X", retry: "never" }) instanceof Closed]).toEqual([
    false,
    true,
  ]);
});

it("what throws when it is looked at is none of ours", () => {
  const hostile = new Proxy(
    {},
    {
      has: () => {
        throw new Error("no");
      },
    },
  );
  expect(hostile instanceof LullError).toBe(false);
});
