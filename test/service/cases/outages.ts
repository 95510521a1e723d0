import { expect } from "vitest";
import { systemClock } from "../../../src/runtime/system-clock.ts";
import { eventually } from "../../lull-process.ts";
import { atRest, type Case, type RunningService } from "../platform.ts";

/** How long a service outside is away, in real time. A minute of each: `LULL_TEST_OUTAGE_SECONDS=60`. */
const OUTAGE_MS = Number(process.env.LULL_TEST_OUTAGE_SECONDS ?? 4) * 1_000;
const CUSTOMERS = 20;

/** More than five attempts fit into it: with a count of attempts the messages would be dead by then. */
const environment = {
  LULL_BACKOFF_SECONDS: "0.2",
  LULL_BACKOFF_SECONDS_MAX: "0.5",
  LULL_SEND_TIMEOUT_SECONDS: "1",
  LULL_SETTLE_SECONDS: "1",
};

/**
 * All customers write, a service outside is away for a while, and afterwards each was answered exactly once,
 * without a person.
 */
async function liveThrough(
  at: RunningService,
  goAway: () => void,
  comeBack: () => void,
  textsEach = 1,
): Promise<void> {
  goAway();
  const untilMs = performance.now() + OUTAGE_MS;
  await Promise.all(Array.from({ length: CUSTOMERS }, (_, customer) => at.write(customer, "hi")));
  await eventually("the end of the outage", async () => (performance.now() > untilMs ? true : undefined), {
    deadlineMs: OUTAGE_MS + 60_000,
  });
  // Where functions are called by the second, four of them may be too few for a try that is late enough.
  await at.twilio.whenSent(CUSTOMERS * (textsEach - 1));
  comeBack();
  await at.twilio.whenSent(CUSTOMERS * textsEach);
  expect(await atRest(at)).toMatchObject({ dead: 0, unknown: 0 });
  const to = at.twilio.sent.map((message) => message.to);
  expect([to.length, new Set(to).size]).toEqual([CUSTOMERS * textsEach, CUSTOMERS]);
}

const SORRY = "It takes longer than usual.";

export const outageCases: readonly Case[] = [
  {
    title: "the model answers with 500",
    environment,
    run: (at) =>
      liveThrough(
        at,
        () => at.openai.behave(() => ({ kind: "error", status: 500 })),
        () => at.openai.behave(() => "hello"),
      ),
  },
  {
    title: "the model answers with 500 for so long that each customer is told, once",
    environment: { ...environment, LULL_FAILURE_TEXT: SORRY, LULL_FAILURE_TEXT_AFTER_SECONDS: "1" },
    run: async (at) => {
      await liveThrough(
        at,
        () => at.openai.behave(() => ({ kind: "error", status: 500 })),
        () => at.openai.behave(() => "hello"),
        2,
      );
      for (const customer of new Set(at.twilio.sent.map(({ to }) => to))) {
        const heard = at.twilio.sent.filter(({ to }) => to === customer).map(({ body }) => body);
        expect(heard).toEqual([SORRY, "hello"]);
      }
    },
  },
  {
    title: "the model has too much to do, and says when to come back",
    environment,
    run: (at) =>
      liveThrough(
        at,
        () => at.openai.behave(() => ({ kind: "error", status: 429, headers: { "retry-after": "1" } })),
        () => at.openai.behave(() => "hello"),
      ),
  },
  {
    title: "the provider and its list answer with 500",
    environment,
    run: (at) =>
      liveThrough(
        at,
        () => at.twilio.behave(() => ({ kind: "status", status: 500 })),
        () => at.twilio.behave(() => ({ kind: "ok" })),
      ),
  },
  {
    title: "the provider takes every message without an answer, and its list is away",
    environment,
    run: (at) =>
      liveThrough(
        at,
        () =>
          at.twilio.behave(({ method }) =>
            method === "POST" ? { kind: "drop", tookEffect: true } : { kind: "status", status: 503 },
          ),
        () => at.twilio.behave(() => ({ kind: "ok" })),
      ),
  },
  {
    title: "the model is away, and then the provider, each in every way there is",
    environment: {
      ...environment,
      LULL_FAILURE_TEXT: SORRY,
      LULL_FAILURE_TEXT_AFTER_SECONDS: "1",
      LULL_ANSWER_TIMEOUT_SECONDS: "1",
    },
    run: liveThroughBoth,
  },
];

/** Refused, told to wait, silent, cut off, and taken without a word. */
async function liveThroughBoth(at: RunningService): Promise<void> {
  const everyone = Array.from({ length: CUSTOMERS }, (_, customer) => customer);
  const { openai, twilio } = at;
  await Promise.all(everyone.map((customer) => at.write(customer, "one")));
  await oneAfterTheOther([
    () => openai.behave(() => ({ kind: "error", status: 500 })),
    () => openai.behave(() => ({ kind: "error", status: 429, retryAfterSeconds: 1 })),
    () => openai.behave(() => ({ kind: "hang" })),
    () => openai.behave(() => ({ kind: "drop" })),
  ]);
  openai.behave(({ lastUserText }) => `re: ${lastUserText.replaceAll("\n", " ")}`);
  await Promise.all(everyone.map((customer) => at.write(customer, "two")));
  await oneAfterTheOther([
    () => twilio.behave(() => ({ kind: "status", status: 500 })),
    () => twilio.behave(() => ({ kind: "error", status: 429, code: 20429, retryAfterSeconds: 1 })),
    () => twilio.behave(() => ({ kind: "hang" })),
    () => twilio.behave(({ method }) => ({ kind: "drop", tookEffect: method === "POST" })),
    () => twilio.stop(),
  ]);
  await twilio.start();
  twilio.behave(() => ({ kind: "ok" }));
  await eventually("rest", async () => (await waits(at)) || undefined, { deadlineMs: OUTAGE_MS + 120_000 });
  expect(await atRest(at)).toMatchObject({ dead: 0, unknown: 0 });
  const heard = Map.groupBy(twilio.sent, ({ to }) => to);
  expect(heard.size).toBe(CUSTOMERS);
  for (const said of heard.values()) {
    const texts = said.map(({ body }) => body);
    expect(
      texts
        .filter((text) => text !== SORRY)
        .join(" ")
        .replaceAll("re: ", ""),
    ).toBe("one two");
    expect(texts.filter((text) => text === SORRY).length).toBeLessThanOrEqual(1);
    expect(texts.at(-1)).not.toBe(SORRY);
  }
}

/** Each for its share of the outage. */
async function oneAfterTheOther(ways: readonly (() => unknown)[]): Promise<void> {
  for (const goAway of ways) {
    await goAway();
    await systemClock.sleep(OUTAGE_MS / ways.length);
  }
}

/** Whether everything is answered. */
async function waits(at: RunningService): Promise<boolean> {
  const { staged } = (await at.api("/counts")) as { readonly staged: number };
  return staged === 0;
}
