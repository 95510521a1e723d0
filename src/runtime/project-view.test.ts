import { describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { LullError } from "../errors.ts";
import { aroundEngine } from "../testing/around-engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";
import type { Service } from "./service.ts";

const TO = { acme: "+1", beta: "+2" } as const;
type Tenant = keyof typeof TO;

function twoTenants(given: Partial<LullConfig> = {}) {
  const clock = fakeClock();
  const channel = (tenant: Tenant) => testChannel({ addresses: [TO[tenant]] });
  const service = createService({
    ...{ engine: memory(), clock, log: () => {}, respond: () => "hello", channels: {} },
    projects: {
      acme: { channels: { acme: channel("acme") } },
      beta: { channels: { beta: channel("beta") } },
    },
    ...given,
  });
  let count = 0;
  const write = (tenant: Tenant, sender: string) => {
    const message = testMessage({ address: TO[tenant], sender, providerId: `m-${++count}` });
    return service.receive(tenant, testWebhook(message));
  };
  return { clock, service, write };
}

const seenBy = async (service: Service, tenant: Tenant) =>
  (await service.forProject(tenant).engine()).inspector;

it("a project's callers have of the engine conversations, lists, people, repairs: no more", async () => {
  const { service } = twoTenants();
  const engine = await service.forProject("acme").engine();
  expect(Object.keys(engine).sort()).toEqual(["conversations", "inspector", "people", "repairs"]);
  await service.stop(0);
});

describe("a project sees of what never had a conversation", () => {
  it("its own refusals, and no other's", async () => {
    const { service, write } = twoTenants({ admission: "known" });
    await write("acme", "ana");
    await write("beta", "ben");
    for (const [tenant, sender] of [
      ["acme", "ana"],
      ["beta", "ben"],
    ] as const) {
      const { items } = await (await seenBy(service, tenant)).refusals({ limit: 10 });
      expect(items.map((refusal) => refusal.sender)).toEqual([sender]);
    }
    await service.stop(0);
  });

  it("its own dead letters, which it may discard, and no other's", async () => {
    const { clock, service, write } = twoTenants({ admission: "known", validation: "on-turn" });
    await service.start();
    await write("acme", "ana");
    await write("beta", "ben");
    await clock.advance(11_000);
    const [ofAcme, ofBeta] = await Promise.all(
      (["acme", "beta"] as const).map(
        async (tenant) => (await (await seenBy(service, tenant)).dead({ limit: 10 })).items,
      ),
    );
    expect(ofAcme!.map(({ messages }) => messages[0]?.sender)).toEqual(["ana"]);
    expect(ofBeta!.map(({ messages }) => messages[0]?.sender)).toEqual(["ben"]);
    const { repairs } = await service.forProject("acme").engine();
    expect(await repairs.discardDead(ofBeta![0]!.id)).toBe("not-found");
    expect(await repairs.retryDead(ofBeta![0]!.id)).toBe("not-found");
    expect(await repairs.discardDead(ofAcme![0]!.id)).not.toBe("not-found");
    expect((await (await service.engine()).inspector.dead({ limit: 10 })).items).toEqual(ofBeta);
    await service.stop(0);
  });

  it("its own unknown sends, which it may mark, and no other's", async () => {
    let isGone = false;
    const engine = aroundEngine(memory(), () => async (name, _input, call) => {
      if (isGone && name === "conversations.get") return undefined;
      return call();
    });
    const channel = (tenant: Tenant) => {
      const made = testChannel({ addresses: [TO[tenant]] });
      made.behave(() => ({ kind: "unknown", why: "read timeout" }));
      return made;
    };
    const projects = {
      acme: { channels: { acme: channel("acme") } },
      beta: { channels: { beta: channel("beta") } },
    };
    const { clock, service, write } = twoTenants({ engine, projects });
    await service.start();
    await write("acme", "ana");
    await write("beta", "ben");
    await clock.advance(600_000);
    // Another system removed the rows of both conversations.
    isGone = true;
    const [ofAcme] = (await (await seenBy(service, "acme")).unknown({ limit: 10 })).items;
    const [ofBeta] = (await (await seenBy(service, "beta")).unknown({ limit: 10 })).items;
    expect([ofAcme!.to, ofBeta!.to]).toEqual(["ana", "ben"]);
    const { repairs } = await service.forProject("acme").engine();
    expect(await repairs.unknownSend(ofAcme!.id)).toEqual(ofAcme);
    expect(await repairs.unknownSend(ofBeta!.id)).toBeUndefined();
    expect(await repairs.markUnknown(ofBeta!.id)).toBe("not-found");
    expect(await repairs.resendUnknown(ofBeta!.id)).toBe("not-found");
    expect(await repairs.markUnknown(ofAcme!.id)).toBe("marked");
    expect((await (await service.engine()).inspector.unknown({ limit: 10 })).items).toEqual([ofBeta]);
    await service.stop(0);
  });

  it("a dead letter by its id, however many others have: no list of theirs is read for it", async () => {
    const asked: string[] = [];
    const engine = aroundEngine(memory(), () => (name, _input, call) => {
      asked.push(name);
      return call();
    });
    const respond = () => Promise.reject(new LullError("no", { code: "NO", retry: "never" }));
    const { clock, service, write } = twoTenants({ engine, respond });
    await service.start();
    await write("acme", "ana");
    for (const sender of ["ben", "bea", "bob"]) await write("beta", sender);
    await clock.advance(11_000);
    const all = (await (await service.engine()).inspector.dead({ limit: 10 })).items;
    expect(all.length).toBe(4);
    asked.length = 0;
    const { repairs } = await service.forProject("acme").engine();
    for (const { id, messages } of all) {
      const isTheirs = messages[0]?.sender === "ana";
      expect((await repairs.deadLetter(id))?.id).toBe(isTheirs ? id : undefined);
      expect(await repairs.retryDead(id)).toBe(isTheirs ? "retried" : "not-found");
    }
    expect(await repairs.discardDead("d_of_nobody")).toBe("not-found");
    expect(asked).toContain("repairs.deadLetter");
    expect(asked).not.toContain("inspector.dead");
    await service.stop(0);
  });
});

it("what goes wrong in a turn is told with its channel and project, tenant by tenant", async () => {
  const told: [string, unknown][] = [];
  const respond = () =>
    Promise.reject(new LullError("401", { code: "UNAUTHORIZED", retry: "later", credentials: true }));
  const { clock, service, write } = twoTenants({
    respond,
    log: (_, event, fields) => void told.push([event, fields]),
    limits: { retryForSeconds: 60 },
  });
  await service.start();
  await write("acme", "ana");
  await write("beta", "ben");
  await clock.advance(11_000);
  const of = (name: string) => told.filter(([event]) => event === name).map(([, fields]) => fields);
  const both = [
    expect.objectContaining({ channel: "acme", project: "acme" }),
    expect.objectContaining({ channel: "beta", project: "beta" }),
  ];
  expect(of("credentials.refused").slice(0, 2)).toEqual(expect.arrayContaining(both));
  await clock.advance(600_000);
  expect(of("turn.dead")).toEqual(expect.arrayContaining(both));
  await service.stop(0);
});

it("what a project leaves behind reaches no other, not even the last one that there is", async () => {
  const engine = memory();
  const { service: both, write } = twoTenants({ engine });
  await write("acme", "ana");
  await write("beta", "ben");
  const beta = (await (await both.engine()).inspector.conversations({ search: "ben", limit: 10 })).items[0]!;
  await both.stop(0);
  const projects = { acme: { channels: { acme: testChannel({ addresses: [TO.acme] }) } } };
  const { service } = twoTenants({ engine, projects });
  const { conversations, inspector } = await service.forProject("acme").engine();
  const seen = (await inspector.conversations({ limit: 10 })).items;
  expect(seen.map(({ sender }) => sender)).toEqual(["ana"]);
  expect(await conversations.get(beta.id)).toBeUndefined();
  expect(await conversations.erase(beta.id)).toBe("not-found");
  expect(await inspector.latestId(beta)).toBeUndefined();
  expect((await (await service.engine()).inspector.conversation(beta.id))?.conversation.sender).toBe("ben");
  await service.stop(0);
});

describe("a project's pages", () => {
  it("go on with a cursor that tells nothing of other rows, and is good for this list alone", async () => {
    const { clock, service, write } = twoTenants();
    await write("acme", "ana");
    // More of another's than one page may cost.
    for (let n = 0; n < 2_010; n += 1) {
      await clock.advance(1);
      await write("beta", `ben-${n}`);
    }
    const [acme, beta] = [await seenBy(service, "acme"), await seenBy(service, "beta")];
    const all = (await service.engine()).inspector;
    const first = await acme.conversations({ limit: 1 });
    expect(first.items).toEqual([]);
    const cursor = first.next!;
    const others = (await all.conversations({ limit: 2_000 })).next!;
    expect([cursor, Buffer.from(cursor, "base64url").toString("latin1")].join()).not.toContain(others);
    const { items } = await acme.conversations({ limit: 1, cursor });
    expect(items.map(({ sender }) => sender)).toEqual(["ana"]);
    const refused = { code: "INVALID_REQUEST" };
    await expect(beta.conversations({ limit: 1, cursor })).rejects.toMatchObject(refused);
    await expect(acme.refusals({ limit: 1, cursor })).rejects.toMatchObject(refused);
    await expect(acme.conversations({ limit: 1, cursor: others })).rejects.toMatchObject(refused);
    await service.stop(0);
  });

  it("are full, whatever other projects' rows lie between", async () => {
    const { clock, service, write } = twoTenants();
    for (const sender of ["ana", "amy"]) {
      await write("acme", sender);
      for (let n = 0; n < 5; n += 1) {
        await clock.advance(1);
        await write("beta", `${sender}-${n}`);
      }
    }
    const acme = await seenBy(service, "acme");
    const first = await acme.conversations({ limit: 1 });
    expect(first.items.map(({ sender }) => sender)).toEqual(["amy"]);
    const second = await acme.conversations({ limit: 1, cursor: first.next! });
    expect(second.items.map(({ sender }) => sender)).toEqual(["ana"]);
    expect((await acme.conversations({ limit: 10 })).items.length).toBe(2);
    expect((await acme.locks({ limit: 10 })).items.length).toBe(2);
    await service.stop(0);
  });
});
