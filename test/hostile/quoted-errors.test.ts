import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

const TEXT = "my card is 4000 1234 5678 9010";
/** Fails with what it was asked, as people write it. */
const RESPONDER = `export default {
  channels: { web: { web: true } },
  respond: (turn) => {
    throw new TypeError("cannot make sense of: " + turn.text + " from " + turn.conversation.sender);
  },
};`;

/** Forgets a promise or a timer, which fails with what was said. The turn itself never ends. */
const LOOSE = {
  "a promise that is not awaited": "void Promise.reject(new TypeError(words(turn)))",
  "a timer": "setTimeout(() => { throw new TypeError(words(turn)); }, 1)",
  "a promise that fails with a bare text": "void Promise.reject(words(turn))",
} as const;

const folder = processFolder();

beforeEach(async () => {
  await writeFile(join(folder.path, "lull.config.mjs"), RESPONDER);
});

function lull(...args: string[]): LullProcess {
  const env = {
    PORT: "0",
    LULL_WEB_UNSIGNED: "1",
    LULL_WINDOW_SECONDS: "0.1",
    LULL_ATTEMPTS_MAX: "1",
    LULL_LOG_LEVEL: "debug",
  };
  return folder.start(args, { env });
}

it("what a responder throws about a customer is in the dead letter, and not in the log", async () => {
  const service = lull("start");
  await say(service, "m1");
  const { reason } = await service.event("a dead letter", ({ event }) => event === "turn.dead");
  expect(reason).toMatch(/^TypeError at lull\.config\.mjs:\d+:\d+: /);
  const dead = lull("dead", "list", "--json");
  expect((await dead.gone()).code).toBe(0);
  expect(dead.stdout).toContain(`cannot make sense of: ${TEXT} from visitor-0001`);
  expectNoWordsIn(service);
});

describe.each(Object.entries(LOOSE))("what %s throws about a customer", (_what, statement) => {
  beforeEach(async () => {
    const config = `const words = (turn) =>
      "cannot make sense of: " + turn.text + " from " + turn.conversation.sender;
export default {
  channels: { web: { web: true } },
  respond: (turn) => { ${statement}; return new Promise(() => {}); },
};`;
    await writeFile(join(folder.path, "lull.config.mjs"), config);
  });

  it("ends the worker as ever, in a line that does not quote it, and the parent replaces it", async () => {
    const service = lull("start");
    await say(service, "m1");
    const crash = await service.event("the crash", ({ event }) => event === "process.crashed");
    expect(crash).toMatchObject({ level: "error", worker: 1 });
    expect(crash.reason).toMatch(/^(TypeError at lull\.config\.mjs:\d+:\d+|UnhandledPromiseRejection .*)$/);
    const died = await service.event("its death", ({ event }) => event === "worker.died");
    expect(died).toMatchObject({ worker: 1, code: 1 });
    await service.until("another worker", () =>
      service.events.filter(({ event }) => event === "worker.ready").length === 2 ? true : undefined,
    );
    expectNoWordsIn(service);
  });

  it("ends `lull dev` likewise, with exit code 1", async () => {
    const service = lull("dev");
    await say(service, "m1");
    expect(await service.gone()).toEqual({ code: 1, signal: null });
    expect(service.events.filter(({ event }) => event === "process.crashed")).toHaveLength(1);
    expectNoWordsIn(service);
  });
});

async function say(service: LullProcess, id: string): Promise<void> {
  const body = JSON.stringify({ id, sender: "visitor-0001", text: TEXT });
  const headers = { "content-type": "application/json" };
  const url = `${await service.url()}/webhooks/web`;
  expect((await fetch(url, { method: "POST", body, headers })).status).toBe(200);
}

function expectNoWordsIn({ stdout, stderr }: LullProcess): void {
  for (const word of ["card", "5678 9010", "visitor-0001"]) expect(stdout + stderr).not.toContain(word);
}
