import { afterEach, describe, expect, it } from "vitest";
import { eventually, type LullProcess } from "../lull-process.ts";
import { type Surroundings, surroundings } from "./surroundings.ts";

let at: Surroundings;
afterEach(() => at.end());

/** The process number of the worker that took the first lease. */
async function holderOf(service: LullProcess): Promise<number> {
  const taken = await service.event("a lease", ({ event }) => event === "lease.taken");
  const ready = service.events.find(
    ({ event, worker }) => event === "worker.ready" && worker === taken.worker,
  );
  return Number(ready?.pid);
}

async function counts() {
  return (await at.api("/counts")) as Record<string, number>;
}

describe("kill -9 of one worker under a running parent", () => {
  it("while the answer is made: another worker answers, in seconds and not after a lease", async () => {
    at = await surroundings({ LULL_LEASE_SECONDS: "600" });
    const service = await at.start(2);
    at.openai.behave((_, n) => (n === 1 ? { hang: true } : "hello"));
    await at.write(1, "hi");
    await at.openai.arrival(1);
    process.kill(await holderOf(service), "SIGKILL");
    await at.twilio.whenSent(1);
    await eventually("the turn's commit", async () => ((await counts()).turns === 1 ? true : undefined));
    expect(await counts()).toMatchObject({ staged: 0, dead: 0, unknown: 0 });
  });

  it("after the provider took the reply: the provider is asked, and the customer gets it once", async () => {
    at = await surroundings({ LULL_LEASE_SECONDS: "600" });
    const service = await at.start(2);
    at.twilio.behave(({ method }) =>
      method === "POST" ? { kind: "hang", tookEffect: true } : { kind: "ok" },
    );
    await at.write(1, "hi");
    await at.twilio.whenSent(1);
    process.kill(await holderOf(service), "SIGKILL");
    const turns = await eventually("the turn's commit", async () =>
      (await counts()).turns === 1 ? true : undefined,
    );
    expect(turns).toBe(true);
    expect(at.twilio.sent).toHaveLength(1);
    expect(await counts()).toMatchObject({ staged: 0, dead: 0, unknown: 0 });
  });

  it("before the provider took it: it is sent, once", async () => {
    at = await surroundings({ LULL_LEASE_SECONDS: "600" });
    const service = await at.start(2);
    let posts = 0;
    at.twilio.behave(({ method }) => {
      if (method === "POST") posts += 1;
      return method === "POST" && posts === 1 ? { kind: "hang" } : { kind: "ok" };
    });
    await at.write(1, "hi");
    await at.twilio.nextRequest();
    process.kill(await holderOf(service), "SIGKILL");
    await at.twilio.whenSent(1);
    expect(at.twilio.sent).toHaveLength(1);
  });
});

describe("kill -9 of everything", () => {
  it("inside the window: after a restart everything acknowledged is answered once", async () => {
    at = await surroundings();
    const first = await at.start(2);
    await Promise.all(
      [1, 2, 3].flatMap((customer) => [at.write(customer, "one"), at.write(customer, "two")]),
    );
    first.kill("SIGKILL");
    await first.gone();
    await at.start(1);
    await at.twilio.whenSent(3);
    expect(at.openai.requests.map(({ lastUserText }) => lastUserText.split("\n").sort())).toEqual(
      Array(3).fill(["one", "two"]),
    );
  });

  it("while answers are made and sent: nothing is lost, nobody is answered twice", async () => {
    at = await surroundings({ LULL_LEASE_SECONDS: "600" });
    const first = await at.start(2);
    let posts = 0;
    // Of ten replies the provider takes some and tells nobody, and hears nothing of others.
    at.twilio.behave(({ method }) => {
      if (method !== "POST") return { kind: "ok" };
      posts += 1;
      return posts > 10 ? { kind: "ok" } : { kind: "hang", tookEffect: posts % 2 === 0 };
    });
    await Promise.all(Array.from({ length: 10 }, (_, customer) => at.write(customer, "hi")));
    await eventually("ten sends under way", async () => (posts >= 10 ? true : undefined));
    first.kill("SIGKILL");
    await first.gone();
    await at.start(2);
    await eventually("ten commits", async () => ((await counts()).turns === 10 ? true : undefined));
    const to = at.twilio.sent.map((message) => message.to);
    expect(to).toHaveLength(10);
    expect(new Set(to).size).toBe(10);
    expect(await counts()).toMatchObject({ staged: 0, dead: 0, unknown: 0, leases: 0, windows: 0 });
  });
});

describe("a provider that cannot be asked", () => {
  it("leaves the send on the list of unknown sends, and the conversation goes on", async () => {
    at = await surroundings({
      LULL_SETTLE_SECONDS: "0.2",
      LULL_SEND_TIMEOUT_SECONDS: "0.5",
      LULL_ATTEMPTS_MAX: "2",
    });
    await at.start(1);
    at.twilio.behave(() => ({ kind: "drop", tookEffect: true }));
    await at.write(1, "hi");
    await eventually("the unknown send", async () => ((await counts()).unknown === 1 ? true : undefined));
    expect(await counts()).toMatchObject({ staged: 0, dead: 0, turns: 1 });
    at.twilio.behave(() => ({ kind: "ok" }));
    await at.write(1, "still there?");
    await eventually("the next turn", async () => ((await counts()).turns === 2 ? true : undefined));
  });

  it("is believed when its callback names the chunk", async () => {
    at = await surroundings({ LULL_SEND_TIMEOUT_SECONDS: "0.5" });
    await at.start(1);
    at.twilio.behave(({ method }) =>
      method === "POST" ? { kind: "hang", tookEffect: true } : { kind: "status", status: 500 },
    );
    await at.write(1, "hi");
    await at.twilio.whenSent(1);
    const { statusCallback } = at.twilio.sent[0]!;
    expect(statusCallback).toMatch(/^https:\/\/bot\.example\.com\/webhooks\/whatsapp\/status\?n=.+\.0$/);
    // Twilio calls the public address; here that is this machine.
    const { signedWebhook } = await import("../../src/testing/fake-twilio.ts");
    const params = {
      AccountSid: at.env.TWILIO_ACCOUNT_SID!,
      MessageSid: at.twilio.sent[0]!.sid,
      MessageStatus: "sent",
      From: "whatsapp:+14155238886",
      To: at.twilio.sent[0]!.to,
    };
    const webhook = signedWebhook({ url: statusCallback!, authToken: at.env.TWILIO_AUTH_TOKEN!, params });
    const answer = await at.post(statusCallback!.replace("https://bot.example.com", ""), webhook);
    expect(answer.status).toBe(200);
    await eventually("the commit", async () => ((await counts()).turns === 1 ? true : undefined));
    expect(await counts()).toMatchObject({ unknown: 0, staged: 0 });
    expect(at.twilio.sent).toHaveLength(1);
  });
});
