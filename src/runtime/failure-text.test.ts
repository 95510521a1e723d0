import { afterEach, expect, it } from "vitest";
import { LullError } from "../errors.ts";
import { type TestLull, type TestLullConfig, testLull } from "../testing/test-lull.ts";

const MINUTE = 60_000;
const SORRY = "This takes longer than usual. You will hear from us.";

let lull: TestLull;
afterEach(() => lull.stop());

const away = () => Object.assign(new Error("away"), { status: 503 });
const rejected = () => new LullError("key refused", { code: "REJECTED", retry: "never" });

/** A service whose responder fails as `fails` says, until that returns nothing. */
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

it("a customer hears once that it takes longer, and the answer follows", async () => {
  let isAway = true;
  failing(() => (isAway ? away() : undefined));
  await lull.receive("ana", "one");
  await lull.advance(10_000 + MINUTE);
  expect(texts()).toEqual([]);
  await lull.advance(5_000);
  expect(texts()).toEqual([SORRY]);
  await lull.receive("ana", "two");
  await lull.advance(6 * MINUTE);
  expect(texts()).toEqual([SORRY]);
  isAway = false;
  await lull.advance(2 * MINUTE);
  expect(texts()).toEqual([SORRY, "answer to one, two"]);
});

it("the next outage is told as well", async () => {
  let isAway = true;
  failing(() => (isAway ? away() : undefined), { limits: { failureTextAfterSeconds: 30 } });
  for (const text of ["one", "two"]) {
    isAway = true;
    await lull.receive("ana", text);
    await lull.advance(3 * MINUTE);
    isAway = false;
    await lull.advance(2 * MINUTE);
  }
  expect(texts()).toEqual([SORRY, "answer to one", SORRY, "answer to two"]);
});

it("an outage that is over before that is not told", async () => {
  let tries = 0;
  failing(() => (++tries < 4 ? away() : undefined));
  await lull.receive("ana", "one");
  await lull.advance(2 * MINUTE);
  expect(texts()).toEqual(["answer to one"]);
});

it("a turn that fails for good is told at once, and its record goes on to say that it failed", async () => {
  failing(rejected);
  await lull.receive("ana", "one");
  await lull.advance(11_000);
  expect(texts()).toEqual([SORRY]);
  const engine = await lull.service.engine();
  const [letter] = (await engine.inspector.dead({ limit: 5 })).items;
  expect(letter?.messages.map(({ text }) => text)).toEqual(["one"]);
  const record = await engine.conversations.get(letter?.conversationId ?? "");
  expect(record?.status).toBe("processing_error");
});

it("a late answer that does not come in time is told", async () => {
  failing(() => undefined, {
    respond: () => ({ laterSeconds: 60 }),
    limits: { retryForSeconds: 100, attemptsMax: 1 },
  });
  await lull.receive("ana", "one");
  await lull.advance(10 * MINUTE);
  expect(texts()).toEqual([SORRY]);
});

it("a reply that the provider refuses is not followed by a text that it would refuse, too", async () => {
  failing(() => undefined);
  lull.channel.behave(() => ({ kind: "not-sent", retry: "never", why: "no such number" }));
  await lull.receive("ana", "one");
  await lull.advance(10 * MINUTE);
  const { inspector } = await lull.service.engine();
  expect((await inspector.dead({ limit: 5 })).items.map(({ outbounds }) => outbounds.length)).toEqual([0]);
});

it("messages whose conversation is found at their turn are told of as well", async () => {
  failing(rejected, { validation: "on-turn" });
  await lull.receive("ana", "one");
  await lull.advance(11_000);
  expect(texts()).toEqual([SORRY]);
});

it("nothing is said without a text, and where a human has the conversation", async () => {
  failing(away, { failureText: "" });
  await lull.receive("ana", "one");
  await lull.advance(40 * MINUTE);
  expect(texts()).toEqual([]);
  await lull.stop();
  failing(away, { handOffTo: () => Promise.reject(away()) });
  await lull.receive("ana", "one");
  const { conversations, inspector } = await lull.service.engine();
  const [{ id } = { id: "" }] = (await inspector.conversations({ limit: 1 })).items;
  await lull.service.handOff(id);
  await lull.advance(10 * MINUTE);
  expect(texts()).toEqual([]);
  expect((await conversations.get(id))?.handedOff).toBe(true);
});
