import { expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import type { ChannelContext } from "../ports/channel.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testLull } from "../testing/test-lull.ts";
import { createService } from "./create-service.ts";

const MESSAGE = {
  providerId: "1",
  account: "a",
  address: "us",
  sender: "ana",
  replyTo: "ana",
  text: "hi",
  media: [],
};
const body = Buffer.from(JSON.stringify([MESSAGE]));

it("a channel is told where statuses go if there is a public URL, and nothing otherwise", async () => {
  const opened: ChannelContext[] = [];
  const open = (context: ChannelContext) => void opened.push(context);
  for (const publicUrl of ["https://example.test", undefined]) {
    const channels = { sms: { ...testChannel(), open } };
    const url = publicUrl === undefined ? {} : { publicUrl };
    await createService({ engine: memory(), channels, respond: () => "ok", ...url }).stop(0);
  }
  expect(opened.map((context) => context.statusUrl)).toEqual([
    "https://example.test/webhooks/sms/status",
    undefined,
  ]);
  expect("statusUrl" in opened[1]!).toBe(false);
});

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
  await service.receive("web", { method: "POST", url: "http://us/", headers: {}, body });
  await clock.advance(10_000);
  expect(await service.answerTurn(turns[0]!, { text: "hello there" })).toBe("accepted");
  await clock.advance(1_000);
  expect(web.outbox.map(({ text }) => text)).toEqual(["hello", "there"]);
  await service.stop(0);
});

it.each(["pigeon", "constructor"])("nothing is received on a channel %s", async (name) => {
  const { service } = testLull({ respond: () => "hello" });
  await expect(service.receive(name, { method: "POST", url: "/", headers: {}, body })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "there is no channel of this name; there are test",
  });
});

it("a message whose responder is gone in its turn is refused with the reason, not left waiting", async () => {
  const clock = fakeClock();
  const engine = memory();
  const channels = { web: testChannel() };
  const before = createService({ engine, channels, clock, log: () => {}, respond: () => "hello" });
  await before.receive("web", { method: "POST", url: "http://us/", headers: {}, body });
  const after = createService({ engine, channels, clock, log: () => {} });
  await after.start();
  await clock.advance(10_000);
  const { inspector } = await after.engine();
  const { items } = await inspector.conversations({ limit: 1 });
  const { turns } = (await inspector.conversation(items[0]!.id))!;
  expect(turns.map(({ outcome }) => outcome)).toEqual(["refused: ROUTE_NOT_FOUND"]);
  expect(channels.web.outbox).toEqual([]);
  await after.stop(0);
  await before.stop(0);
});

it.each(["a log of its own", "none"])("a program that embeds Lull with %s sees no numbers", async (kind) => {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => void lines.push(line);
  try {
    const verify = () => ({ kind: "refused", why: "no writing to +15550100" }) as const;
    const own = { log: (...line: unknown[]) => void lines.push(JSON.stringify(line)) };
    const channels = { sms: { ...testChannel(), verify } };
    const given = { engine: memory(), channels, respond: () => "ok", ...(kind !== "none" && own) };
    const service = createService(given);
    await service.receive("sms", { method: "POST", url: "http://x/", headers: {}, body });
    service.log("warn", "of.a-channel", { sender: "+15550100", text: "a secret" });
    await service.stop(0);
  } finally {
    console.error = error;
  }
  expect(lines.filter((line) => line.includes("****00"))).toHaveLength(2);
  expect(lines.join()).not.toMatch(/15550100|secret/);
});
