import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { awsResources } from "../../tools/aws-local/aws-resources.ts";
import type { LullProcess } from "../lull-process.ts";
import { type Environment, type Surroundings, surroundings } from "../service/surroundings.ts";
import { atRest } from "./at-rest.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

/** Longer than anything here takes when nothing has to wait for a lease, a sweep or a queue's visibility. */
const SOON_MS = 20_000;
const NEVER_SECONDS = "3600";

describeOnEmulators("machines that run lull start on AWS", (emulators) => {
  let at: Surroundings;
  afterEach(() => at?.end());

  async function set(environment: Environment = {}): Promise<void> {
    const { env } = await awsResources(emulators);
    at = await surroundings({ ...env, LULL_LEASE_SECONDS: NEVER_SECONDS, ...environment });
  }

  const rest = (turns: number) => atRest(at, turns);

  /** Process number of the worker that took the first lease. */
  async function holderOf(service: LullProcess): Promise<number> {
    const taken = await service.event("a lease", ({ event }) => event === "lease.taken");
    const isReady = ({ event, worker }: { event: string; worker?: unknown }) =>
      event === "worker.ready" && worker === taken.worker;
    return Number(service.events.find(isReady)?.pid);
  }

  describe("kill -9 of one worker under a running parent", () => {
    it("while the answer is made: another worker answers, in seconds and not after a lease", async () => {
      await set();
      const service = await at.start(2);
      at.openai.behave((_, n) => (n === 1 ? { kind: "hang" } : "hello"));
      await at.write(1, "hi");
      await at.openai.whenAsked(1);
      const killedAtMs = Date.now();
      process.kill(await holderOf(service), "SIGKILL");
      await at.twilio.whenSent(1);
      expect(Date.now() - killedAtMs).toBeLessThan(SOON_MS);
      expect(await rest(1)).toMatchObject({ dead: 0, unknown: 0 });
      expect(at.twilio.sent).toHaveLength(1);
    });

    it("after the provider took the reply: it is asked, and the customer gets it once", async () => {
      await set();
      const service = await at.start(2);
      at.twilio.behave(({ method }) =>
        method === "POST" ? { kind: "hang", tookEffect: true } : { kind: "ok" },
      );
      await at.write(1, "hi");
      await at.twilio.whenSent(1);
      process.kill(await holderOf(service), "SIGKILL");
      expect(await rest(1)).toMatchObject({ dead: 0, unknown: 0 });
      expect(at.twilio.sent).toHaveLength(1);
    });
  });

  describe("on two machines", () => {
    it("each takes turns of what the other received, and every burst gets one answer", async () => {
      await set();
      const machines = [await at.start(1), await at.start(1)];
      const urls = await Promise.all(machines.map((machine) => machine.url()));
      const customers = [1, 2, 3, 4, 5, 6];
      for (const text of ["one", "two"])
        await Promise.all(
          customers.map(async (customer) => {
            const { status } = await at.write(customer, text, { to: urls[customer % 2]! });
            expect(status).toBe(200);
          }),
        );
      await at.twilio.whenSent(6);
      expect(await rest(6)).toMatchObject({ dead: 0, unknown: 0 });
      expect(new Set(at.twilio.sent.map(({ to }) => to)).size).toBe(6);
      expect(at.twilio.sent).toHaveLength(6);
    });

    it("one that is lost altogether is healed by the other once its lease lapsed", async () => {
      await set({ LULL_LEASE_SECONDS: "3", LULL_SETTLE_SECONDS: "1" });
      await writeFile(
        join(at.folder, "lull.config.json"),
        JSON.stringify({ limits: { sweepSeconds: 0.5, graceSeconds: 1 } }),
      );
      const lost = await at.start(1);
      at.openai.behave((_, n) => (n === 1 ? { kind: "hang" } : "hello"));
      await at.write(1, "hi");
      await at.openai.whenAsked(1);
      await at.start(1);
      lost.kill("SIGKILL");
      await at.twilio.whenSent(1);
      expect(await rest(1)).toMatchObject({ dead: 0, unknown: 0 });
      expect(at.twilio.sent).toHaveLength(1);
    });
  });

  describe("a graceful stop", () => {
    it("lets running turns finish, and leaves nothing behind", async () => {
      await set();
      const service = await at.start(2);
      const answer = Promise.withResolvers<void>();
      at.openai.behave(() => answer.promise.then(() => "hello"));
      await at.write(1, "hi");
      await at.openai.whenAsked(1);
      service.kill("SIGTERM");
      await service.event("the stop", ({ event }) => event === "service.stopping");
      answer.resolve();
      expect(await service.gone()).toEqual({ code: 0, signal: null });
      expect(at.twilio.sent).toHaveLength(1);
      await at.start(1);
      expect(await rest(1)).toMatchObject({ dead: 0, unknown: 0 });
      expect(at.twilio.sent).toHaveLength(1);
    });

    it("gives back what does not finish in time, and another machine goes on with it at once", async () => {
      await set({ LULL_STOP_GRACE_SECONDS: "0.2" });
      const stopping = await at.start(1);
      at.openai.behave((_, n) => (n === 1 ? { kind: "hang" } : "hello"));
      await at.write(1, "hi");
      await at.openai.whenAsked(1);
      await at.start(1);
      stopping.kill("SIGTERM");
      expect(await stopping.gone()).toEqual({ code: 0, signal: null });
      await at.twilio.whenSent(1);
      expect(await rest(1)).toMatchObject({ dead: 0, unknown: 0 });
    });

    it("one after the other under load: nothing is lost, answered twice or kept waiting", async () => {
      await set({ LULL_CONCURRENCY: "5" });
      const customers = Array.from({ length: 40 }, (_, n) => n + 1);
      const stopping = await at.start(2);
      const staying = await at.start(2);
      await Promise.all(customers.map((customer) => at.write(customer, "hi")));
      // In the thick of it: some turns run, and triggers are on their way to both.
      await at.openai.whenAsked(3);
      const stoppedAtMs = Date.now();
      stopping.kill("SIGTERM");
      expect(await stopping.gone()).toEqual({ code: 0, signal: null });
      await at.twilio.whenSent(40);
      // A trigger that a stopped worker took along would be seen again after a minute.
      expect(Date.now() - stoppedAtMs).toBeLessThan(SOON_MS);
      expect(await rest(40)).toMatchObject({ dead: 0, unknown: 0 });
      expect(new Set(at.twilio.sent.map(({ to }) => to)).size).toBe(40);
      expect(at.twilio.sent).toHaveLength(40);
      expect(staying.events.filter(({ event }) => event === "sweep.orphan")).toEqual([]);
    });
  });
});
