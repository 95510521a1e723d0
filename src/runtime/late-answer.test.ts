import { expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
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
