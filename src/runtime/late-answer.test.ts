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

it("a late answer is cut for the channel that carries least of those that it may use", async () => {
  const clock = fakeClock();
  const turns: string[] = [];
  const web = testChannel({ textMax: 5 });
  const service = createService({
    engine: memory(),
    channels: { web, sms: testChannel({ type: "sms", textMax: 3 }) },
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

/** Two tenants on one type of channel, whose answers come later. */
async function askedByAcme(limits = {}) {
  const clock = fakeClock();
  const turns: string[] = [];
  const acme = testChannel({ addresses: ["+15550100"], textMax: 100 });
  const beta = testChannel({ addresses: ["+15550200"], textMax: 5 });
  const service = createService({
    engine: memory(),
    channels: {},
    projects: { acme: { channels: { acme }, limits }, beta: { channels: { beta } } },
    clock,
    log: () => {},
    respond: (turn) => {
      turns.push(turn.id);
      return { laterSeconds: 100 };
    },
  });
  await service.start();
  await service.receive("acme", testWebhook(testMessage({ address: "+15550100" })));
  await clock.advance(10_000);
  return { clock, acme, service, turnId: turns[0]! };
}

it("a late answer of one tenant is not cut to another tenant's channel", async () => {
  const { clock, acme, service, turnId } = await askedByAcme();
  expect(await service.answerTurn(turnId, { text: "hello there" })).toBe("accepted");
  await clock.advance(1_000);
  expect(acme.outbox.map(({ text }) => text)).toEqual(["hello there"]);
  await service.stop(0);
});

it("a late answer is held to its own project's limits", async () => {
  const { service, turnId } = await askedByAcme({ replyBytesMax: 10 });
  const answered = service.forProject("acme").answerTurn(turnId, { text: "hello there" });
  await expect(answered).rejects.toMatchObject({ code: "REPLY_TOO_LARGE" });
  expect(await service.forProject("beta").answerTurn(turnId, { text: "hi" })).toBe("stale");
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
