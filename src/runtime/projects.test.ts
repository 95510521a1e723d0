import { afterEach, describe, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { aroundEngine } from "../testing/around-engine.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";
import type { LullConfig } from "./config.ts";
import { createService } from "./create-service.ts";
import type { Service } from "./service.ts";

let service: Service | undefined;
afterEach(() => service?.stop(0));

function tenants(given: Partial<LullConfig> = {}) {
  const clock = fakeClock();
  const logged: unknown[] = [];
  const acme = testChannel({ addresses: ["+1"] });
  service = createService({
    ...{ engine: memory(), clock, respond: () => "hello", channels: {} },
    log: (_, event, fields) => void (event === "project.changed" && logged.push(fields)),
    projects: {
      acme: { channels: { acme } },
      beta: { channels: { beta: testChannel({ addresses: ["+2"], type: "mail" }) } },
    },
    ...given,
  });
  return { clock, service, logged, acme };
}

/** Twenty tenants, and what is asked of the store. */
function many() {
  const asked: string[] = [];
  const engine = aroundEngine(memory(), () => (name, _input, call) => {
    asked.push(name);
    return call();
  });
  const names = Array.from({ length: 20 }, (_, n) => `tenant-${n}`);
  const each = names.map((name) => [name, { channels: { [name]: testChannel({ addresses: [name] }) } }]);
  return { ...tenants({ engine, projects: Object.fromEntries(each) }), asked, names };
}

describe("what is set for a project", () => {
  it("is read once for all of them, however many there are", async () => {
    const { service, asked, names } = many();
    expect((await service.projects()).map(({ name }) => name)).toEqual(names);
    expect(asked).toHaveLength(1);
  });

  it("is read once by each sweep, however many there are", async () => {
    const { clock, service, asked } = many();
    await service.start();
    await clock.advance(600_000);
    const of = (port: string) => asked.filter((name) => name.startsWith(port)).length;
    expect(of("sweeping.")).toBeGreaterThan(10);
    expect(of("inspector.")).toBe(of("sweeping."));
  });

  it("is nothing for a project of which nothing is set, whatever its name", async () => {
    const projects = { constructor: { channels: { acme: testChannel() } } };
    const { service, clock, logged } = tenants({ projects });
    await service.start();
    await clock.advance(600_000);
    expect(await service.projects()).toEqual([{ name: "constructor", channels: ["acme"], status: "active" }]);
    expect(logged).toEqual([]);
  });

  it("is told in the log at once, with what changed, and only where it did", async () => {
    const { service, logged } = tenants();
    await service.changeProject("acme", { status: "stopped", allowedChannels: ["mail"] });
    await service.changeProject("acme", { status: "stopped" });
    await service.changeProject("beta", { paused: true });
    await service.resetProject("acme");
    expect(await service.changeProject("gamma", { paused: true })).toBe("not-found");
    expect(logged).toEqual([
      { project: "acme", keys: "status, allowedChannels" },
      { project: "beta", keys: "paused" },
      { project: "acme", keys: "status, allowedChannels" },
    ]);
  });

  it.each(["paused", "Pause", " PAUSED "])("is not the status %j, which would refuse", async (status) => {
    const hint = "to keep them: lull projects pause acme";
    await expect(tenants().service.changeProject("acme", { status })).rejects.toThrow(hint);
    const acme = { channels: { acme: testChannel() }, status };
    expect(() => tenants({ projects: { acme } })).toThrow("projects.acme.status pause");
    expect(() => tenants({ projects: { acme } })).toThrow(hint);
  });

  it("pauses it: messages wait, and are answered when it goes on", async () => {
    const { clock, service, acme } = tenants();
    await service.start();
    expect(await service.changeProject("acme", { paused: true })).toMatchObject({
      status: "active",
      paused: true,
      changed: { paused: true },
    });
    const message = testMessage({ address: "+1", sender: "ana", providerId: "m-1" });
    expect((await service.receive("acme", testWebhook(message))).status).toBe(200);
    await clock.advance(600_000);
    expect(acme.outbox).toEqual([]);
    const going = await service.changeProject("acme", { paused: false });
    expect(going).toEqual({ name: "acme", channels: ["acme"], status: "active" });
    await clock.advance(1_000);
    expect(acme.outbox.map(({ text }) => text)).toEqual(["hello"]);
  });

  it("may name the types of any channel that is configured, or comes with Lull, and no others", async () => {
    const { service } = tenants();
    for (const allowedChannels of [["test", "mail"], ["whatsapp", "sms", "web"], ["all"], []])
      await service.changeProject("acme", { allowedChannels });
    const refused = service.changeProject("acme", { allowedChannels: ["test", "mial"] });
    await expect(refused).rejects.toMatchObject({
      code: "INVALID_REQUEST",
      message: expect.stringMatching(/mial is no type of channel; there are test, mail, .*mean mail\?/),
    });
    await expect(service.changeProject("acme", { allowedChannels: ["all", "sms"] })).rejects.toThrow(
      "all is",
    );
    await expect(service.changeProject("acme", {})).rejects.toThrow("must be given");
  });
});

describe("types that are misspelt, and would mute customers,", () => {
  const channels = { web: testChannel() };

  it("do not start", () => {
    const project = { allowedChannels: ["whatsap"] };
    expect(() => tenants({ projects: {}, channels, project })).toThrow(
      "project.allowedChannels: whatsap is no type of channel",
    );
    const projects = { acme: { channels, allowedChannels: ["web", "twilio"] } };
    expect(() => tenants({ projects })).toThrow(
      "projects.acme.allowedChannels: twilio is no type of channel",
    );
  });

  it("make no conversation", async () => {
    const { service } = tenants();
    const asked = { channel: "acme", address: "+1", sender: "ana", allowedChannels: ["tset"] };
    await expect(service.createConversation(asked)).rejects.toThrow("tset is no type of channel");
    await service.createConversation({ ...asked, allowedChannels: ["test"] });
  });
});
