import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { InboundMessage } from "../model/message.ts";
import type { Channel, ReceiveSummary } from "../ports/channel.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";

/** A service whose first turn is still running when the next messages come, and what it tells. */
async function answering(channel: Partial<Channel>, more: Partial<LullConfig> = {}) {
  const clock = fakeClock();
  const running = Promise.withResolvers<string>();
  const inner = testChannel();
  const summaries: ReceiveSummary[] = [];
  const answer: Channel["answer"] = (summary) => {
    summaries.push(summary);
    return inner.answer(summary);
  };
  const logged: unknown[][] = [];
  const service = createService({
    engine: memory(),
    channels: { test: { ...inner, answer, ...channel } },
    respond: () => running.promise,
    busyText: "one moment",
    clock,
    log: (level, event, fields) => void logged.push([level, event, fields]),
    ...more,
  });
  let count = 0;
  const write = async (given: Partial<InboundMessage> = {}) => {
    count += 1;
    await service.receive("test", testWebhook(testMessage({ providerId: `m${count}`, ...given })));
    return summaries.at(-1);
  };
  const end = async () => {
    running.resolve("done");
    await clock.advance(10_000);
    await service.stop(0);
  };
  await service.start();
  return { clock, service, logged, write, end, sent: () => inner.outbox.map(({ to, text }) => [to, text]) };
}

it("a staged message is told with its conversation and when it is due", async () => {
  const { clock, logged, write, end } = await answering({});
  const told = await write();
  expect(logged).toContainEqual([
    "debug",
    "window.armed",
    { channel: "test", conversation: told?.conversationId, dueAtMs: clock.nowMs() + 10_000 },
  ]);
  await end();
});

it("a text that is too long is answered with by how much", async () => {
  const { write, end } = await answering({ textLengthMax: 5 });
  expect(await write({ text: "seven c" })).toMatchObject({
    code: "MESSAGE_TOO_LARGE",
    detail: "the text is 2 characters too long",
  });
  await end();
});

describe("the busy text", () => {
  it("is in the webhook's answer where the provider shows that, once, and no turn says it", async () => {
    const { clock, write, end, sent } = await answering({ busyTextInAnswer: true }, { whileBusy: "reject" });
    await write();
    await clock.advance(10_000);
    expect(await write()).toEqual({ code: "CONVERSATION_LOCKED", busyText: "one moment" });
    expect(await write()).toEqual({ code: "CONVERSATION_LOCKED" });
    await end();
    expect(sent()).toEqual([["ana", "done"]]);
  });

  it("is a turn of its own where too much waits: no provider shows the body of a 429", async () => {
    const { write, end, sent } = await answering(
      { busyTextInAnswer: true },
      { limits: { stagedMessagesMax: 1 } },
    );
    await write();
    expect(await write()).toEqual({ code: "RATE_LIMITED", retryAfterSeconds: 60 });
    await end();
    expect(sent()).toContainEqual(["ana", "one moment"]);
  });

  it("goes to where its person is when it is sent, though the number has passed on", async () => {
    const { clock, write, end, sent } = await answering({}, { whileBusy: "reject" });
    const number = "+15550101";
    const by = (sender: string) => ({ sender, senderAlias: number, replyTo: number });
    await write(by("SV.ana"));
    await clock.advance(10_000);
    await write(by("SV.ana"));
    await write(by("SV.ben"));
    await end();
    expect(sent()).toContainEqual(["SV.ana", "one moment"]);
    expect(sent()).not.toContainEqual([number, "one moment"]);
  });
});
