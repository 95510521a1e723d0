import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type TestLull, testLull } from "../testing/test-lull.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";

let lull: TestLull;
let logged: { level: string; event: string }[];
beforeEach(() => {
  logged = [];
  lull = testLull({
    limits: { stagedMessagesMax: 2 },
    busyText: "too much at once",
    log: (level, event) => void logged.push({ level, event }),
    respond: () => "ok",
  });
});
afterEach(() => lull.stop());

const told = () => logged.filter(({ event, level }) => /full|refused/.test(event) && level !== "debug");

/** A payload of several messages, as some providers send them. */
async function post(...senders: string[]): Promise<[number, string | undefined]> {
  const messages = senders.map((sender, at) => testMessage({ providerId: `${sender}-${at}`, sender }));
  const { status, headers } = await lull.service.receive("test", testWebhook(...messages));
  return [status, headers["retry-after"]];
}

describe("a conversation in which too much waits", () => {
  it("refuses more with 429, tells customer and log once, and goes on when there is room", async () => {
    expect(await lull.receive("ana", "one")).toBe(200);
    expect(await lull.receive("ana", "two")).toBe(200);
    for (let at = 0; at < 20; at += 1) expect(await lull.receive("ana", "more", "m-more")).toBe(429);
    await lull.advance(1_000);
    expect(lull.sent).toEqual([{ to: "ana", text: "too much at once" }]);
    expect((await (await lull.service.engine()).inspector.counts()).refusals).toBe(1);
    expect(told()).toEqual([{ level: "warn", event: "conversation.full" }]);

    await lull.advance(10_000);
    expect(lull.sent.map(({ text }) => text)).toEqual(["too much at once", "ok"]);
    expect(await lull.receive("ana", "more", "m-more")).toBe(200);
  });

  it("makes the provider send the whole payload again; what was staged of it is a duplicate", async () => {
    expect(await post("ana", "ana", "ana", "ben")).toEqual([429, "60"]);
    expect((await (await lull.service.engine()).inspector.counts()).staged).toBe(4);
    await lull.advance(11_000);
    expect(await post("ana", "ana", "ana", "ben")).toEqual([200, undefined]);
    await lull.advance(11_000);
    const sent = lull.sent.filter(({ text }) => text === "ok").map(({ to }) => to);
    expect(sent.sort()).toEqual(["ana", "ana", "ben"]);
  });

  it("takes no more from callers who speak for the assistant, either", async () => {
    await lull.receive("ana", "one");
    await lull.receive("ana", "two");
    const [conversation] = (await (await lull.service.engine()).inspector.conversations({ limit: 1 })).items;
    const said = { conversationId: conversation!.id, author: "eva", text: "hello" };
    await expect(lull.service.say(said)).rejects.toMatchObject({ code: "RATE_LIMITED", retry: "later" });
    await lull.advance(10_000);
    expect(await lull.service.say(said)).toBe("staged");
  });
});
