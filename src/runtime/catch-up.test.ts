import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { memoryTables } from "../engines/memory/tables.ts";
import { LullError } from "../errors.ts";
import type { LogFields } from "../model/log.ts";
import type { InboundMessage } from "../model/message.ts";
import type { Channel, Listed } from "../ports/channel.ts";
import { type FakeClock, fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testWebhook } from "../testing/test-webhook.ts";
import type { CatchUpRequest } from "./catch-up.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";
import { LISTING_MS_MAX } from "./listing.ts";

function message(providerId: string, more: Partial<InboundMessage> = {}): InboundMessage {
  const [account, address, sender] = ["a", "us", "ana"];
  return { providerId, account, address, sender, replyTo: sender, text: "hi", media: [], ...more };
}

/** A service whose one channel's provider received these. */
function behind(
  received: readonly InboundMessage[],
  {
    channel: about,
    clock = fakeClock(),
    ...config
  }: Partial<LullConfig> & { readonly channel?: Partial<Channel>; readonly clock?: FakeClock } = {},
) {
  const logged: [event: string, fields: LogFields][] = [];
  const channel = { ...testChannel(), listReceived: () => listing(received), ...about };
  const service = createService({
    engine: memory(),
    channels: { sms: channel },
    clock,
    random: () => 0.5,
    log: (_level, event, fields) => void logged.push([event, fields ?? {}]),
    respond: () => "ok",
    ...config,
  });
  const catchUp = (more: Partial<CatchUpRequest> = {}) =>
    service.catchUp({ channel: "sms", sinceAtMs: clock.nowMs(), ...more });
  const counts = async () => (await service.engine()).inspector.counts();
  const refusals = async () => (await (await service.engine()).inspector.refusals({ limit: 10 })).items;
  const webhook = (...messages: InboundMessage[]) => service.receive("sms", testWebhook(...messages));
  return { service, clock, logged, channel, catchUp, counts, refusals, webhook };
}

async function* listing(received: readonly InboundMessage[]) {
  yield* received;
}

describe("what the provider received meanwhile", () => {
  it("is staged once, whether the webhook or the list brings it first", async () => {
    const { catchUp, webhook, counts } = behind([message("1"), message("2"), message("3")]);
    await webhook(message("2"));
    expect(await catchUp()).toEqual({
      listed: 3,
      new: 2,
      duplicates: 1,
      refused: 0,
      unattributed: [],
      moved: [],
    });
    expect(await catchUp()).toEqual({
      listed: 3,
      new: 0,
      duplicates: 3,
      refused: 0,
      unattributed: [],
      moved: [],
    });
    await webhook(message("1"));
    expect(await counts()).toMatchObject({ conversations: 1, staged: 3, windows: 1 });
  });

  it("is staged in steps, and each step is told", async () => {
    const { catchUp } = behind(Array.from({ length: 201 }, (_, n) => message(String(n))));
    const told: number[] = [];
    const onProgress = (listed: number) => void told.push(listed);
    await catchUp({ onProgress });
    expect(told).toEqual([100, 200, 201]);
  });

  it("is nothing to tell of where there is nothing", async () => {
    const { catchUp } = behind([]);
    const onProgress = () => expect.unreachable();
    expect(await catchUp({ onProgress })).toMatchObject({ listed: 0 });
  });

  it("is not fetched from before the memory of ids, unless that is meant", async () => {
    const limits = { dedupeHours: 1 };
    const { catchUp, clock, webhook, service } = behind([message("1")], { limits });
    await service.start();
    await webhook(message("1"));
    await clock.advance(3_600_000 + 60_000);
    // A minute is left to callers who read the clock before.
    const sinceAtMs = clock.nowMs() - 3_600_000 - 60_001;
    await expect(catchUp({ sinceAtMs })).rejects.toThrow(
      expect.objectContaining({
        code: "INVALID_REQUEST",
        message: expect.stringContaining("dedupeHours: 1"),
      }),
    );
    expect(await catchUp({ sinceAtMs: sinceAtMs + 1 })).toMatchObject({ listed: 1 });
    expect(await catchUp({ sinceAtMs, beyondMemory: true })).toMatchObject({ listed: 1 });
    const stopped = service.stop(0);
    await clock.advance(1);
    await stopped;
  });

  it("is staged as it comes, while the provider is asked for more, and kept when it refuses", async () => {
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>();
    const listReceived = async function* (): AsyncGenerator<Listed> {
      yield message("1");
      yield "asking";
      await mayGoOn;
      yield message("2");
      throw new Error("503: enough for now");
    };
    const { catchUp, counts } = behind([], { channel: { listReceived } });
    const progress = Promise.withResolvers<number>();
    const caught = catchUp({ onProgress: progress.resolve }).catch((error) => error);
    expect([await progress.promise, (await counts()).staged]).toEqual([1, 1]);
    goOn();
    expect(await caught).toMatchObject({ message: "503: enough for now" });
    expect((await counts()).staged).toBe(2);
  });

  it("is not taken from a list whose beginning is forgotten before its end is read", async () => {
    const clock = fakeClock();
    const HOUR = 3_600_000;
    const listReceived = async function* (): AsyncGenerator<Listed> {
      for (let minutes = 0; minutes < 16; minutes++) {
        await clock.sleep(60_000);
        yield "asking";
      }
      yield message("1");
    };
    const slow = behind([], { clock, limits: { dedupeHours: 1 }, channel: { listReceived } });
    await slow.service.start();
    const sinceAtMs = clock.nowMs();
    await clock.advance(HOUR);
    const caught = slow.catchUp({ sinceAtMs }).catch((error) => error);
    await clock.advance(16 * 60_000);
    expect(await caught).toMatchObject({
      code: "INCOMPLETE_LIST",
      message: expect.stringContaining("ids of its beginning are forgotten by now"),
    });
    expect((await slow.counts()).staged).toBe(0);
    const stopped = slow.service.stop(0);
    await clock.advance(1);
    await stopped;
  });

  it("is not taken where webhooks brought the same people's messages under made-up ids", async () => {
    const isInventedId = (id: string) => id.startsWith("made-up");
    const withAlias = message("2", { sender: "SV.aaaaaaaa", senderAlias: "ana", replyTo: "ana" });
    for (const listedMessage of [message("1"), withAlias]) {
      const { catchUp, webhook, counts, clock, service } = behind([listedMessage], {
        channel: { isInventedId },
      });
      await service.start();
      const sinceAtMs = clock.nowMs();
      await webhook(message("made-up-1"));
      const refused = { code: "INCOMPLETE_LIST", message: expect.stringContaining("through a relay") };
      await expect(catchUp({ sinceAtMs })).rejects.toMatchObject(refused);
      // Answered by now, it is known from the history.
      await clock.advance(20_000);
      await expect(catchUp({ sinceAtMs })).rejects.toMatchObject(refused);
      expect(await counts()).toMatchObject({ staged: 0, turns: 1 });
      // What came long before the list begins is nothing to it.
      await clock.advance(3_600_000);
      expect(await catchUp()).toMatchObject({ new: 1 });
      const stopped = service.stop(0);
      await clock.advance(1);
      await stopped;
    }
  });

  describe("is not taken where it was moved in from the system before:", () => {
    const isInventedId = (id: string) => id.startsWith("made-up");
    /** Moved as the other system wrote them down, and listed as the provider did. */
    const scene = (listed: readonly InboundMessage[], ...moved: InboundMessage[]) => {
      const given = behind(listed, { channel: { isInventedId }, respond: () => "" });
      const move = async () => {
        await given.service.start();
        for (const each of moved) await given.webhook(each);
        return given.clock.nowMs();
      };
      const end = async () => {
        const stopped = given.service.stop(0);
        await given.clock.advance(1);
        await stopped;
      };
      return { ...given, move, end };
    };
    const left = (providerId: string, sender = "ana") => ({ providerId, sender });

    it("waiting, answered, and by any name of who wrote", async () => {
      const withAlias = message("2", { sender: "SV.aaaaaaaa", senderAlias: "ana" });
      for (const listed of [message("2"), withAlias]) {
        const { catchUp, move, clock, counts, end } = scene([listed], message("seed-wati-1"));
        const sinceAtMs = await move();
        const expected = { listed: 1, new: 0, duplicates: 0, refused: 0, unattributed: [] };
        const whole = { ...expected, moved: [left("2", listed.sender)] };
        expect(await catchUp({ sinceAtMs })).toEqual(whole);
        await clock.advance(20_000);
        expect(await counts()).toMatchObject({ staged: 0, turns: 1 });
        expect(await catchUp({ sinceAtMs })).toEqual(whole);
        await end();
      }
    });

    it("a second message that says the same is taken, once", async () => {
      const { catchUp, webhook, move, counts, end } = scene(
        [message("2"), message("3"), message("4")],
        message("seed-wati-1"),
      );
      const sinceAtMs = await move();
      // The provider's webhook was quicker for one of them: it is no twin of what was moved.
      await webhook(message("2"));
      const result = { listed: 3, new: 1, duplicates: 1, moved: [left("3")] };
      expect(await catchUp({ sinceAtMs })).toMatchObject(result);
      expect(await catchUp({ sinceAtMs })).toMatchObject({ new: 0, duplicates: 2, moved: [left("3")] });
      expect(await counts()).toMatchObject({ staged: 3 });
      await end();
    });

    it("hundreds of one customer, in a list that comes in parts", async () => {
      const ids = Array.from({ length: 230 }, (_, n) => `${n}`);
      const { catchUp, move, counts, end } = scene(
        [...ids.map((id) => message(id)), message("lost")],
        ...ids.map((id) => message(`seed-wati-${id}`)),
      );
      const { listed, new: taken, moved } = await catchUp({ sinceAtMs: await move() });
      expect([listed, taken, moved.length]).toEqual([231, 1, 230]);
      expect(await counts()).toMatchObject({ staged: 231 });
      await end();
    });

    it("also where it got no turn", async () => {
      const fail = () => {
        throw new LullError("no", { code: "NO", retry: "never" });
      };
      const given = behind([message("2")], { channel: { isInventedId }, respond: fail });
      await given.service.start();
      const sinceAtMs = given.clock.nowMs();
      await given.webhook(message("seed-wati-1"));
      await given.clock.advance(20_000);
      expect(await given.counts()).toMatchObject({ staged: 0, dead: 1 });
      expect(await given.catchUp({ sinceAtMs })).toMatchObject({ new: 0, moved: [left("2")] });
      const stopped = given.service.stop(0);
      await given.clock.advance(1);
      await stopped;
    });
  });

  it("is refused in the provider's own words", async () => {
    const refused = new Error("401: another token, please");
    // biome-ignore lint/correctness/useYield: it never comes to that.
    const listReceived = async function* (): AsyncGenerator<InboundMessage> {
      throw refused;
    };
    await expect(behind([], { channel: { listReceived } }).catchUp()).rejects.toBe(refused);
  });

  it("has no pace: no provider would deliver again what is turned away", async () => {
    const { catchUp } = behind([message("1"), message("2"), message("3")], {
      limits: { senderPerMinuteMax: 1 },
    });
    expect(await catchUp()).toMatchObject({ new: 3, refused: 0 });
  });

  it("is kept as far as it came when the provider falls silent", async () => {
    const silent = async function* () {
      yield message("1");
      await new Promise(() => {});
    };
    const { catchUp, clock, counts } = behind([], { channel: { listReceived: silent } });
    const caught = catchUp().catch((error) => error);
    await clock.advance(LISTING_MS_MAX);
    const words =
      "sms: the provider gave no answer within 120 s; 1 messages are in, run it again for the rest";
    expect(await caught).toMatchObject({ message: words, retry: "later" });
    expect((await counts()).staged).toBe(1);
  });
});

describe("how far back it may reach:", () => {
  const HOUR = 3_600_000;
  const stop = async ({ service, clock }: ReturnType<typeof behind>) => {
    const stopped = service.stop(0);
    await clock.advance(1);
    await stopped;
  };

  it("as far as ids were remembered when they were learnt, though more is configured by now", async () => {
    const engine = memory({ tables: memoryTables() });
    const clock = fakeClock();
    const limits = { dedupeHours: 24 };
    const before = behind([], { engine, clock, limits });
    await before.service.start();
    await before.webhook(message("1"));
    await clock.advance(20_000);
    await stop(before);
    await clock.advance(48 * HOUR);
    const after = behind([message("1")], { engine, clock });
    const since = (hours: number) => after.catchUp({ sinceAtMs: clock.nowMs() - hours * HOUR });
    await expect(since(72)).rejects.toThrow("what was answered before that would be answered again");
    expect(await since(47)).toMatchObject({ listed: 1 });
    // A week later all of them are kept for a week.
    await clock.advance(169 * HOUR);
    expect(await since(168)).toMatchObject({ listed: 1 });
    await stop(after);
  });

  it("a list that takes its time is read to its end before what it began with is forgotten", async () => {
    const clock = fakeClock();
    const slowly = async function* () {
      await clock.sleep(LISTING_MS_MAX - 1);
      yield message("1");
    };
    const limits = { dedupeHours: 1 };
    const slow = behind([], { clock, limits, channel: { listReceived: slowly } });
    await slow.service.start();
    await slow.webhook(message("1"));
    const sinceAtMs = clock.nowMs();
    await clock.advance(HOUR);
    const caught = slow.catchUp({ sinceAtMs });
    await clock.advance(LISTING_MS_MAX);
    expect(await caught).toMatchObject({ listed: 1, new: 0, duplicates: 1 });
    await stop(slow);
  });
});

describe("what the list does not tell", () => {
  const [ana, ben, number] = ["SV.aaaaaaaa", "SV.bbbbbbbb", "+15550101"];
  const lost = message("1", { sender: number, replyTo: number, text: "who am I?", sentAtMs: 5 });
  const from = (sender: string, id: string) => message(id, { sender, senderAlias: number, replyTo: number });
  const left = [{ providerId: "1", sender: number, sentAtMs: 5 }];

  it("is who wrote, if the number has come with a user id: it is left for a person", async () => {
    const { catchUp, webhook, counts, logged, service } = behind([lost]);
    await webhook(from(ana, "2"));
    expect(await catchUp()).toEqual({
      listed: 1,
      new: 0,
      duplicates: 0,
      refused: 0,
      unattributed: left,
      moved: [],
    });
    expect(await counts()).toMatchObject({ conversations: 1, staged: 1, refusals: 0 });
    expect(logged).toContainEqual(["message.unattributed", { channel: "sms" }]);
    // The webhook comes after all, with the user id of another person.
    await webhook({ ...lost, ...from(ben, "1") });
    const { items } = await (await service.engine()).inspector.conversations({ limit: 10 });
    expect(items.map(({ sender }) => sender).sort()).toEqual([ana, ben]);
    expect(await catchUp()).toMatchObject({ new: 0, duplicates: 1, unattributed: [], moved: [] });
  });

  it("is taken for the number's only owner's on request, but never once the number passed on", async () => {
    const one = behind([lost]);
    await one.webhook(from(ana, "2"));
    expect(await one.catchUp({ byNumber: true })).toMatchObject({ new: 1, unattributed: [], moved: [] });
    expect(await one.counts()).toMatchObject({ conversations: 1, staged: 2 });
    const two = behind([lost]);
    await two.webhook(from(ana, "2"));
    await two.webhook(from(ben, "3"));
    expect(await two.catchUp({ byNumber: true })).toMatchObject({ new: 0, unattributed: left });
  });
});

describe("what a webhook would not have brought in, catching up does not either:", () => {
  it("a message that no responder answers", async () => {
    const { catchUp, counts, refusals } = behind([message("1")], { respond: undefined as never });
    expect(await catchUp()).toMatchObject({ new: 0, refused: 1 });
    expect(await refusals()).toMatchObject([{ code: "ROUTE_NOT_FOUND" }]);
    expect(await counts()).toMatchObject({ conversations: 0, staged: 0 });
  });

  it("a message for an address that is another's, of which nothing is kept", async () => {
    const { catchUp, counts, logged } = behind([message("1"), message("2", { address: "them" })], {
      channel: { addresses: ["us"] },
    });
    expect(await catchUp()).toEqual({
      listed: 2,
      new: 1,
      duplicates: 0,
      refused: 1,
      unattributed: [],
      moved: [],
    });
    expect(await counts()).toMatchObject({ conversations: 1, staged: 1, refusals: 0 });
    expect(logged).toContainEqual([
      "webhook.refused",
      expect.objectContaining({ channel: "sms", code: "INVALID_SIGNATURE" }),
    ]);
  });

  it("a text that is longer than the channel takes", async () => {
    const { catchUp, refusals } = behind([message("1", { text: "four" }), message("2", { text: "fives" })], {
      channel: { textLengthMax: 4 },
    });
    expect(await catchUp()).toMatchObject({ new: 1, refused: 1 });
    expect(await refusals()).toMatchObject([{ code: "MESSAGE_TOO_LARGE" }]);
  });

  it("anything of a channel that must not be served as it is configured", async () => {
    let asked = 0;
    const listReceived = () => {
      asked += 1;
      return listing([message("1")]);
    };
    const { catchUp } = behind([], { channel: { listReceived, unfit: () => "its secret is too short" } });
    await expect(catchUp()).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: "channel sms: its secret is too short",
    });
    expect(asked).toBe(0);
  });

  it("a message that cannot be kept, and the log tells the channel's author", async () => {
    const odd = { ...message("2"), sender: null as unknown as string };
    const { catchUp, logged } = behind([message("1"), odd]);
    expect(await catchUp()).toMatchObject({ new: 1, refused: 1 });
    expect(logged).toContainEqual([
      "webhook.refused",
      expect.objectContaining({ channel: "sms", code: "INVALID_PAYLOAD" }),
    ]);
  });

  it.each([true, false])(
    "a message during a turn, and its sender is told (in answers: %s)",
    async (inAnswer) => {
      const answering = Promise.withResolvers<string>();
      const { catchUp, clock, webhook, service, channel } = behind([message("2"), message("3")], {
        whileBusy: "reject",
        busyText: "not now",
        channel: { busyTextInAnswer: inAnswer },
        respond: () => answering.promise,
      });
      await service.start();
      await webhook(message("1"));
      await clock.advance(10_000);
      expect(await catchUp()).toMatchObject({ new: 0, refused: 2 });
      answering.resolve("here I am");
      await clock.advance(1_000);
      expect(channel.outbox.map(({ text }) => text)).toEqual(["here I am", "not now"]);
      await service.stop(0);
    },
  );
});

it.each(["fax", "constructor", "__proto__"])("there is no catching up of a channel %s", async (channel) => {
  const { service } = behind([]);
  await expect(service.catchUp({ channel, sinceAtMs: 0, beyondMemory: true })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "there is no channel of this name; there are sms",
  });
});

it("a channel whose provider keeps no list says so", async () => {
  const { service } = behind([], { channels: { web: testChannel() } });
  await expect(service.catchUp({ channel: "web", sinceAtMs: 0, beyondMemory: true })).rejects.toMatchObject({
    code: "INVALID_REQUEST",
    message: "channel web cannot list what it received",
  });
});
