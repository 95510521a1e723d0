import { afterEach, describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { LullError, StoreUnavailable } from "../errors.ts";
import { DEFAULT_PROJECT, type ProjectChange } from "../model/project.ts";
import { aroundEngine } from "../testing/around-engine.ts";
import { withFaults } from "../testing/fault-engine.ts";
import { type TestLull, type TestLullConfig, testLull } from "../testing/test-lull.ts";
import { createService } from "./create-service.ts";

const MINUTE = 60_000;
const SORRY = "This takes longer than usual.";
const away = () => Object.assign(new Error("away"), { status: 503 });
const rejected = () => new LullError("key refused", { code: "REJECTED", retry: "never" });

let lull: TestLull;
afterEach(() => lull.stop());

function failing(fails: () => Error | undefined, more: Partial<TestLullConfig> = {}): TestLull {
  lull = testLull({
    window: { seconds: 10 },
    failureText: SORRY,
    respond: (turn) => {
      const error = fails();
      if (error) throw error;
      return `answer to ${turn.text.replaceAll("\n", ", ")}`;
    },
    ...more,
  });
  return lull;
}

const texts = () => lull.sent.map(({ text }) => text);
const isSorry = ({ text }: { readonly text: string }) => text === SORRY;

async function expectAllDone(): Promise<void> {
  const { inspector } = await lull.service.engine();
  expect(await inspector.counts()).toMatchObject({ staged: 0, windows: 0, leases: 0, dead: 0, unknown: 0 });
}

describe("a text that the provider does not take", () => {
  it.each([
    ["refused for good", { kind: "not-sent", retry: "never", why: "opted out" }],
    ["refused for an hour", { kind: "not-sent", retry: "later", retryAfterMs: 60 * MINUTE, why: "429" }],
    ["lost", { kind: "unknown", why: "read timeout" }],
  ] as const)("%s: the answer comes no later, and nothing is left for a person", async (_, outcome) => {
    let isAway = true;
    failing(() => (isAway ? away() : undefined));
    lull.channel.behave((outgoing) =>
      isSorry(outgoing) ? outcome : { kind: "sent", providerId: outgoing.text },
    );
    await lull.receive("ana", "one");
    await lull.advance(3 * MINUTE);
    isAway = false;
    await lull.advance(2 * MINUTE);
    expect(texts().filter((text) => text !== SORRY)).toEqual(["answer to one"]);
    await expectAllDone();
  });

  it("never answered: it is not sent again, and the answer follows", async () => {
    let isAway = true;
    let tries = 0;
    failing(() => (isAway ? away() : undefined));
    lull.channel.behave((outgoing) => {
      if (!isSorry(outgoing)) return { kind: "sent", providerId: outgoing.text };
      tries += 1;
      return new Promise(() => {});
    });
    await lull.receive("ana", "one");
    await lull.advance(3 * MINUTE);
    isAway = false;
    await lull.advance(3 * MINUTE);
    expect([tries, texts()]).toEqual([1, ["answer to one"]]);
    await expectAllDone();
  });
});

describe("the text is not said after the answer", () => {
  it("if its staging took until the answer was there", async () => {
    let isAway = true;
    let isHeld = false;
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const engine = aroundEngine(memory(), () => async (name, _input, call) => {
      if (name !== "conversations.say") return call();
      isHeld = true;
      await held;
      return call();
    });
    failing(() => (isAway ? away() : undefined), { engine });
    await lull.receive("ana", "one");
    await lull.advance(90_000);
    expect(isHeld).toBe(true);
    isAway = false;
    await lull.advance(2 * MINUTE);
    expect(texts()).toEqual(["answer to one"]);
    letGo();
    await lull.advance(2 * MINUTE);
    expect(texts()).toEqual(["answer to one"]);
    await expectAllDone();
  });

  it("if a late answer came while the turn was given up", async () => {
    let turnId: string | undefined;
    const engine = aroundEngine(memory(), () => async (name, _input, call) => {
      const result = await call();
      // Between the text and the dead letter.
      if (name === "conversations.say" && turnId)
        await lull.service.answerTurn(turnId, { text: "a late answer" });
      return result;
    });
    failing(() => undefined, {
      engine,
      respond: ({ id }) => {
        turnId = id;
        throw rejected();
      },
    });
    await lull.receive("ana", "one");
    await lull.advance(MINUTE);
    expect(texts()).toEqual(["a late answer"]);
    await expectAllDone();
  });
});

it("the customer of a dead letter that is retried and fails again is not told again", async () => {
  failing(rejected);
  await lull.receive("ana", "one");
  await lull.advance(MINUTE);
  const { inspector, repairs } = await lull.service.engine();
  for (let n = 0; n < 3; n += 1) {
    for (const { id } of (await inspector.dead({ limit: 5 })).items) await repairs.retryDead(id);
    await lull.advance(5 * MINUTE);
  }
  expect(texts()).toEqual([SORRY]);
});

it("nothing is said where answering was paused, or a human took over, meanwhile", async () => {
  let then: () => Promise<unknown> = async () => {};
  failing(() => undefined, {
    respond: async () => {
      await then();
      throw rejected();
    },
  });
  const idOf = async (sender: string) => {
    const { inspector } = await lull.service.engine();
    return (
      (await inspector.conversations({ limit: 9 })).items.find((each) => each.sender === sender)?.id ?? ""
    );
  };
  const project = async (change: ProjectChange) => {
    const { conversations } = await lull.service.engine();
    await conversations.changeProject(DEFAULT_PROJECT, change);
  };
  const changes = [
    async () => lull.service.handOff(await idOf("ana")),
    async () => lull.service.pause(await idOf("ben")),
    () => project({ status: "stopped" }),
    () => project({ status: "active", paused: true }),
  ];
  for (const [n, sender] of ["ana", "ben", "cleo", "dora"].entries()) {
    then = changes[n]!;
    await lull.receive(sender, "one");
    await lull.advance(MINUTE);
  }
  expect(texts()).toEqual([]);
});

it("a worker's death between the text and its record does not say it twice", async () => {
  let isDead = false;
  const engine = memory();
  const cutOff = withFaults(
    engine,
    () => (isDead ? "fail-before" : "pass"),
    () => new StoreUnavailable("cut off"),
  );
  failing(rejected, { engine: cutOff });
  lull.channel.behave((_, n) => {
    isDead = true;
    return { kind: "sent", providerId: `out-${n}` };
  });
  await lull.receive("ana", "one");
  await lull.advance(MINUTE);
  expect(texts()).toEqual([SORRY]);
  const { clock, channel } = lull;
  const next = createService({
    ...{ engine, clock, channels: { test: channel }, respond: () => "an answer", log: () => {} },
    failureText: SORRY,
  });
  await next.start();
  await clock.advance(5 * MINUTE);
  expect(texts()).toEqual([SORRY]);
  const { inspector } = await next.engine();
  expect(await inspector.counts()).toMatchObject({ staged: 0, dead: 1, unknown: 0 });
  await next.stop(0);
});
