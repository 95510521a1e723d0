import { describe, expect, it } from "vitest";
import { MEMORY_MARGIN_MS } from "../core/defaults.ts";
import { settingsFor } from "../core/projects.ts";
import { memory } from "../engines/memory/index.ts";
import type { Responder } from "../ports/responder.ts";
import { testChannel } from "../testing/test-channel.ts";
import { arranged } from "./arranged.ts";
import type { LullConfig } from "./config.ts";
import * as own from "./config.ts";

const settingsFrom = (config: LullConfig) => own.settingsFrom(config, arranged(config));
const aliasesIn = (config: LullConfig) => own.aliasesIn(config, arranged(config));
const settings = (given: Partial<LullConfig> = {}) =>
  settingsFrom({ engine: memory(), channels: { test: testChannel() }, ...given });

describe("windows", () => {
  it("are ten seconds from the first message when nothing is said", () => {
    expect(settings().window).toEqual({ kind: "fixed", lengthMs: 10_000 });
  });

  it("may be fractions of a second", () => {
    expect(settings({ window: { seconds: 0.25 } }).window).toEqual({ kind: "fixed", lengthMs: 250 });
  });

  it("that wait for quiet close after five times that at the latest, unless said otherwise", () => {
    expect(settings({ window: { quietSeconds: 2 } }).window).toEqual({
      kind: "quiet",
      quietMs: 2_000,
      maxMs: 10_000,
    });
    expect(settings({ window: { quietSeconds: 2, maxSeconds: 3 } }).window).toMatchObject({ maxMs: 3_000 });
  });

  it("may differ by channel", () => {
    const { channels } = settings({
      channels: { sms: testChannel({ type: "sms" }), web: testChannel() },
      windows: { sms: { seconds: 3 } },
    });
    expect(channels.sms).toEqual({ type: "sms", window: { kind: "fixed", lengthMs: 3_000 } });
    expect(channels.web?.window).toEqual({ kind: "fixed", lengthMs: 10_000 });
  });
});

describe("other paths of webhooks", () => {
  const from = (aliases: Record<string, string>) =>
    aliasesIn({ engine: memory(), channels: { test: testChannel() }, aliases });

  it("are those that are said, and none otherwise", () => {
    expect(from({ "/webhook": "test" })).toEqual({ "/webhook": "test" });
    expect(aliasesIn({ engine: memory(), channels: {} })).toEqual({});
  });

  it.each([
    ["aliases: the channel that /webhook is for does not exist. Did you mean test?", "tset"],
    ["aliases: the channel that /webhook is for does not exist", "constructor"],
  ])("are for a channel that there is: %s", (words, name) => {
    expect(() => from({ "/webhook": name })).toThrow(words);
  });

  it("are plain, and not Lull's own", () => {
    expect(() => from({ "/webhook?x": "test" })).toThrow("is no plain path");
    expect(() => from({ "/api/x": "test" })).toThrow("is Lull's own: /api is taken");
  });
});

it("a channel that says how long its sends settle is believed, and no other is changed", () => {
  const { channels } = settings({
    channels: { slow: { ...testChannel(), settleMs: 90_000 }, web: testChannel() },
  });
  expect(channels.slow?.settleMs).toBe(90_000);
  expect("settleMs" in channels.web!).toBe(false);
});

it("what is waited for again and again is a tenth of a second at least", () => {
  expect(settings({ limits: { sweepSeconds: 0.1 } }).sweepMs).toBe(100);
  expect(() => settings({ limits: { sweepSeconds: 0.099 } })).toThrow(
    "a number from 0.1 to 604800, not 0.099",
  );
});

describe("a responder that hands turns to a queue", () => {
  const url = (name: string) => `https://sqs.eu-west-1.amazonaws.com/111122223333/${name}`;
  const to = (name: string): Responder => Object.assign(() => null, { handsTo: url(name) });
  const engine = { ...memory(), triggerQueues: () => [url("whatsapp"), url("default")] };

  it.each([
    ["the responder", { respond: to("default") }],
    ["handOffTo", { handOffTo: to("whatsapp") }],
    ["responders.test", { responders: { test: to("whatsapp") } }],
  ])("is refused as %s when the queue is one that wakes us", (where, given) => {
    expect(() => settings({ engine, ...given })).toThrow(
      new RegExp(`^${where}: https://sqs\\S+ is one of the queues that wake us`),
    );
  });

  it("may hand them to any other, and with an engine that has no queues to any at all", () => {
    expect(() => settings({ engine, respond: to("ai"), handOffTo: to("agents") })).not.toThrow();
    expect(() => settings({ respond: to("whatsapp") })).not.toThrow();
  });
});

describe("limits", () => {
  it("are in seconds, hours and days outside and in ms inside", () => {
    const given = {
      leaseSeconds: 30,
      dedupeHours: 2,
      retentionDays: 1,
      attemptsMax: 3,
      senderPerMinuteMax: 0,
      pollSeconds: 0.5,
    };
    expect(settings({ limits: given })).toMatchObject({
      leaseMs: 30_000,
      renewMs: 10_000,
      dedupeMs: 7_200_000 + MEMORY_MARGIN_MS,
      retentionMs: 86_400_000,
      attemptsMax: 3,
      pollMs: 500,
    });
  });

  it("take a lease of a day", () => {
    expect(settings({ limits: { leaseSeconds: 86_400 } }).leaseMs).toBe(86_400_000);
  });

  it("keep a send inside a third of its lease", () => {
    const { sendTimeoutMs } = settings({ limits: { leaseSeconds: 9, sendTimeoutSeconds: 60 } });
    expect(sendTimeoutMs).toBe(3_000);
  });

  it("remember messages for up to ninety days, and keep them for up to a hundred years", () => {
    const { dedupeMs, retentionMs } = settings({ limits: { dedupeHours: 2_160, retentionDays: 36_500 } });
    expect([dedupeMs, retentionMs]).toEqual([90 * 86_400_000 + MEMORY_MARGIN_MS, 36_500 * 86_400_000]);
  });
});

it("what counts for every conversation is set by the project", () => {
  expect(settings({ project: { status: "trial", allowedChannels: ["sms"] } }).projects).toEqual({
    default: { status: "trial", allowedChannels: ["sms"] },
  });
  expect(settings({}).projects).toEqual({ default: { status: "active" } });
});

it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 24 * 3_600_000 + 1])(
  "a channel whose sends settle after %s ms is refused: no sender could tell when to send again",
  (settleMs) => {
    const channels = { test: { ...testChannel(), settleMs } };
    expect(() => settingsFrom({ engine: memory(), channels, respond: () => "ok" })).toThrow(
      /channels\.test: settleMs/,
    );
  },
);

it.each([0, 24 * 3_600_000])("one whose sends settle after %s ms is not", (settleMs) => {
  const channels = { test: { ...testChannel(), settleMs } };
  expect(settingsFrom({ engine: memory(), channels, respond: () => "ok" }).channels.test?.settleMs).toBe(
    settleMs,
  );
});

describe("what cannot be meant is refused, naming where it stands", () => {
  it.each<[string, Partial<LullConfig>]>([
    ["window.seconds must be a number from 0 to 604800, not -1", { window: { seconds: -1 } }],
    ["window.seconds must be a number from 0 to 604800, not NaN", { window: { seconds: Number.NaN } }],
    ["window needs either seconds, or quietSeconds with or without maxSeconds", { window: {} as never }],
    ["window needs either seconds, or quietSeconds", { window: { seconds: 9, quietSeconds: 4 } }],
    [
      "windows.test.second is not a known setting. Did you mean seconds?",
      { windows: { test: { second: 9 } as never } },
    ],
    ["window.maxSeconds must not be less than quietSeconds", { window: { quietSeconds: 5, maxSeconds: 1 } }],
    ["window must be an object with seconds, quietSeconds, maxSeconds: Either", { window: 5 as never }],
    ["window.seconds must be a number from 0 to 604800, not 604801", { window: { seconds: 604_801 } }],
    ["limits.dedupeHours must be a number from 0 to 2160, not 2161", { limits: { dedupeHours: 2_161 } }],
    [
      "limits.retentionDays must be a number from 0 to 36500, not 36501",
      { limits: { retentionDays: 36_501 } },
    ],
    ["limits.leaseSeconds must be a number from 0.1 to 86400, not 0", { limits: { leaseSeconds: 0 } }],
    [
      "limits.leaseSeconds must be a number from 0.1 to 86400, not 86401",
      { limits: { leaseSeconds: 86_401 } },
    ],
    [
      "limits.sweepSeconds must be a number from 0.1 to 604800, not NaN",
      { limits: { sweepSeconds: Number.NaN } },
    ],
    [
      "limits.leaseSecond is not a known setting. Did you mean leaseSeconds?",
      { limits: { leaseSecond: 1 } as never },
    ],
    ["windows.fax: there is no channel of that name", { windows: { fax: { seconds: 1 } } }],
    ["channels.My SMS: a channel's name is lower-case", { channels: { "My SMS": testChannel() } }],
    ['whileBusy must be one of queue, restart, reject, not "wait"', { whileBusy: "wait" as never }],
    ["limits.attemptsMax must be a whole number of at least 1", { limits: { attemptsMax: 0 } }],
    [
      "limits.replyBytesMax must be a whole number from 1 to 256000, not 256001",
      { limits: { replyBytesMax: 256_001 } },
    ],
    [
      "limits.replyMessagesMax must be a whole number from 1 to 200, not 201",
      { limits: { replyMessagesMax: 201 } },
    ],
    ["limits.restartsMax must be a whole number of at least 0", { limits: { restartsMax: 1.5 } }],
  ])("%s", (message, given) => {
    expect(() => settings(given)).toThrow(message);
  });
});

describe("a channel whose name every object has", () => {
  const channels = { constructor: testChannel() };

  it("has the window of all, unless it has its own", () => {
    const windowIn = (windows: LullConfig["windows"] = {}) =>
      Object.values(settings({ channels, windows }).channels)[0]?.window;
    expect(windowIn()).toEqual({ kind: "fixed", lengthMs: 10_000 });
    expect(windowIn({ constructor: { seconds: 3 } })).toEqual({ kind: "fixed", lengthMs: 3_000 });
  });

  it("has no window where there is no such channel", () => {
    expect(() => settings({ windows: { constructor: { seconds: 3 } } })).toThrow(
      "windows.constructor: there is no channel of that name",
    );
  });
});

it("a customer who is turned away is asked to write again, unless other words are set", () => {
  expect(settingsFor(settings({}), undefined).busyText).toContain("send it again");
  expect(settingsFor(settings({ busyText: "one moment" }), "test").busyText).toBe("one moment");
});

describe("beside another system", () => {
  const shared = { ...memory(), hasSharedRows: true } as const;

  it("nothing is honoured or mirrored unless it is said", () => {
    expect(settings()).toMatchObject({ honourStatus: false, mirrorMessages: 0, honourStatusForMs: 600_000 });
    const said = { engine: shared, honourStatus: true, mirrorMessages: 20 };
    expect(settings(said)).toMatchObject({ honourStatus: true, mirrorMessages: 20 });
    expect(settings({ limits: { honourStatusSeconds: 30 } }).honourStatusForMs).toBe(30_000);
  });

  it("messages are mirrored only where there is a row that others read", () => {
    expect(() => settings({ mirrorMessages: 20 })).toThrow(/^mirrorMessages: memory keeps no row/);
    expect(settings({ mirrorMessages: 0 }).mirrorMessages).toBe(0);
  });

  it("what is no such value is refused", () => {
    expect(() => settings({ honourStatus: "yes" as never })).toThrow(/^honourStatus must be/);
    for (const mirrorMessages of [-1, 1.5, 1_001])
      expect(() => settings({ engine: shared, mirrorMessages })).toThrow(/^mirrorMessages must be/);
  });
});
