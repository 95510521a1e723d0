import { expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { LullError } from "../errors.ts";
import type { Reply } from "../model/reply.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testLull } from "../testing/test-lull.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import { createService } from "./create-service.ts";

it("a late answer comes with its one picture", async () => {
  const turns: string[] = [];
  const lull = testLull({
    window: { seconds: 10 },
    respond: (turn) => {
      turns.push(turn.id);
      return { laterSeconds: 100 };
    },
  });
  await lull.receive("ana", "hi");
  await lull.advance(10_000);
  const media = [{ url: "https://example.test/menu.pdf", contentType: "application/pdf" }];
  expect(await lull.service.answerTurn(turns[0]!, { text: "here", media })).toBe("accepted");
  await lull.advance(1_000);
  expect(lull.channel.outbox).toMatchObject([{ text: "here", media }]);
  await lull.stop();
});

it("a late answer is cut for the channel that carries least: whose it is, only the store knows", async () => {
  const clock = fakeClock();
  const turns: string[] = [];
  const web = testChannel({ textMax: 100 });
  const service = createService({
    engine: memory(),
    channels: { web, sms: testChannel({ type: "sms", textMax: 5 }) },
    clock,
    log: () => {},
    respond: (turn) => {
      turns.push(turn.id);
      return { laterSeconds: 100 };
    },
  });
  await service.start();
  await service.receive("web", testWebhook(testMessage()));
  await clock.advance(10_000);
  expect(await service.answerTurn(turns[0]!, { text: "hello there" })).toBe("accepted");
  await clock.advance(1_000);
  expect(web.outbox.map(({ text }) => text)).toEqual(["hello", "there"]);
  await service.stop(0);
});

/** How the call that asked may end, after the answer came by itself and was accepted. */
const ENDINGS: Readonly<Record<string, () => Reply | Promise<Reply>>> = {
  "an error that no other try can help": () => {
    throw new LullError("400", { code: "REJECTED", retry: "never" });
  },
  "an error that another try may help": () => {
    throw new LullError("503", { code: "AWAY", retry: "later" });
  },
  "an error of its own": () => {
    throw new Error("boom");
  },
  "what is no reply": () => ({ nonsense: 1 }) as unknown as Reply,
  "a reply that is too long": () => "x".repeat(100_000),
  "another text": () => "another text",
  "no text": () => null,
  "the word that it comes later": () => ({ laterSeconds: 100 }),
  nothing: () => new Promise<Reply>(() => {}),
};

it.each(Object.entries(ENDINGS))(
  "an accepted answer is sent once, also if its asking brings %s",
  async (_, end) => {
    const answers: string[] = [];
    const lull = testLull({
      window: { seconds: 10 },
      respond: async ({ id }) => {
        answers.push(await lull.service.answerTurn(id, { text: "the accepted answer" }));
        return end();
      },
    });
    await lull.receive("ana", "hi");
    await lull.advance(1_200_000);
    const { items: dead } = await (await lull.service.engine()).inspector.dead({ limit: 1 });
    expect([answers, lull.channel.outbox.map(({ text }) => text), dead]).toEqual([
      ["accepted"],
      ["the accepted answer"],
      [],
    ]);
    await lull.stop();
  },
);
