import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually, type LullProcess } from "../lull-process.ts";
import { type Environment, type Surroundings, surroundings } from "../service/surroundings.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import { awsPlace } from "./place.ts";

/** Longer than anything here takes when nothing has to wait for a lease, a sweep or a queue's visibility. */
const SOON_MS = 20_000;
const NEVER_SECONDS = "3600";

describe.skipIf(unavailable)("lull start on AWS", () => {
  let emulators: Emulators;
  let at: Surroundings;
  beforeAll(async () => {
    emulators = await startEmulators();
  });
  afterAll(() => emulators.stop());
  afterEach(() => at?.end());

  async function set(environment: Environment = {}): Promise<void> {
    const { env } = await awsPlace(emulators);
    at = await surroundings({ ...env, LULL_LEASE_SECONDS: NEVER_SECONDS, ...environment });
  }

  async function counts() {
    return (await at.api("/counts")) as Record<string, number>;
  }

  function rest(turns: number) {
    return eventually(`${turns} commits`, async () => {
      const now = await counts();
      const isOver = now.turns === turns && now.staged === 0 && now.leases === 0 && now.windows === 0;
      return isOver ? now : undefined;
    });
  }

  /** Process number of the worker that took the first lease. */
  async function holderOf(service: LullProcess): Promise<number> {
    const taken = await service.event("a lease", ({ event }) => event === "lease.taken");
    const isReady = ({ event, worker }: { event: string; worker?: unknown }) =>
      event === "worker.ready" && worker === taken.worker;
    return Number(service.events.find(isReady)?.pid);
  }

  it("works from the environment alone: several workers, one answer per burst", async () => {
    await set();
    const service = await at.start(3);
    for (const customer of [1, 2, 3, 4])
      for (const text of ["one", "two", "three"]) expect((await at.write(customer, text)).status).toBe(200);
    await at.twilio.whenSent(4);
    expect(at.openai.requests.map(({ lastUserText }) => lastUserText.split("\n").sort().join())).toEqual(
      Array(4).fill("one,three,two"),
    );
    expect(await rest(4)).toMatchObject({ dead: 0, unknown: 0 });
    expect(service.events.filter(({ level }) => level === "error")).toEqual([]);
  });

  it("works from a configuration file with an engine of its own making", async () => {
    const { prefix, queues, env } = await awsPlace(emulators);
    const bare = Object.entries(env).filter(([name]) => !name.startsWith("LULL_"));
    at = await surroundings(Object.fromEntries(bare));
    const source = pathToFileURL(join(import.meta.dirname, "../../src/engines/aws/index.ts"));
    const options = JSON.stringify({ tablePrefix: prefix, queues });
    await writeFile(
      join(at.folder, "lull.config.ts"),
      `import { aws } from "${source}";
       export default { engine: aws(${options}), respond: (turn) => \`from code: \${turn.text}\` };`,
    );
    await at.start(1);
    await at.write(1, "hi");
    await at.twilio.whenSent(1);
    expect(at.twilio.sent.map(({ body }) => body)).toEqual(["from code: hi"]);
    expect(await rest(1)).toMatchObject({ dead: 0 });
  });

  describe("kill -9 of one worker under a running parent", () => {
    it("while the answer is made: another worker answers, in seconds and not after a lease", async () => {
      await set();
      const service = await at.start(2);
      at.openai.behave((_, n) => (n === 1 ? { hang: true } : "hello"));
      await at.write(1, "hi");
      await at.openai.arrival(1);
      const killedAtMs = Date.now();
      process.kill(await holderOf(service), "SIGKILL");
      await at.twilio.whenSent(1);
      expect(Date.now() - killedAtMs).toBeLessThan(SOON_MS);
      expect(await rest(1)).toMatchObject({ dead: 0, unknown: 0 });
      expect(at.twilio.sent).toHaveLength(1);
    });

    it("after the provider took the reply: the provider is asked, and the customer gets it once", async () => {
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
      at.openai.behave((_, n) => (n === 1 ? { hang: true } : "hello"));
      await at.write(1, "hi");
      await at.openai.arrival(1);
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
      at.openai.behave(() => ({ after: answer.promise, answer: "hello" }));
      await at.write(1, "hi");
      await at.openai.arrival(1);
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
      at.openai.behave((_, n) => (n === 1 ? { hang: true } : "hello"));
      await at.write(1, "hi");
      await at.openai.arrival(1);
      await at.start(1);
      stopping.kill("SIGTERM");
      expect(await stopping.gone()).toEqual({ code: 0, signal: null });
      await at.twilio.whenSent(1);
      expect(await rest(1)).toMatchObject({ dead: 0, unknown: 0 });
    });

    it("one after the other under load: nothing is lost, nobody is answered twice or kept waiting", async () => {
      await set({ LULL_WINDOW_SECONDS: "0.5" });
      const customers = Array.from({ length: 40 }, (_, n) => n + 1);
      const running = await at.start(2);
      const writing = Promise.all(customers.map((customer) => at.write(customer, "hi")));
      await at.openai.arrival(5);
      await writing;
      const startedAtMs = Date.now();
      const next = await at.start(2);
      running.kill("SIGTERM");
      expect(await running.gone()).toEqual({ code: 0, signal: null });
      await at.twilio.whenSent(40);
      // A trigger that a stopped worker took along would be seen again after a minute.
      expect(Date.now() - startedAtMs).toBeLessThan(SOON_MS);
      expect(await rest(40)).toMatchObject({ dead: 0, unknown: 0 });
      expect(new Set(at.twilio.sent.map(({ to }) => to)).size).toBe(40);
      expect(at.twilio.sent).toHaveLength(40);
      expect(next.events.filter(({ event }) => event === "sweep.orphans")).toEqual([]);
    });
  });

  describe("what cannot work is told in one line before anything starts:", () => {
    async function refusal(environment: Environment, ...args: string[]) {
      await set(environment);
      const service = at.lull("start", "--log-level", "error", ...args);
      const end = await service.gone();
      expect(service.stdout).toBe("");
      expect(service.stderr.trim().split("\n")).toHaveLength(1);
      return { ...end, said: service.stderr };
    }

    it.each(["1", "2"])("a missing table, by its name (%s workers)", async (workers) => {
      const missing = { LULL_TABLE_STAGE: "nowhere", LULL_TABLE_SEEN: "nor-here" };
      const { code, said } = await refusal(missing, "--workers", workers);
      expect(code).toBe(2);
      expect(said).toMatch(/^lull: table nowhere: it does not exist in this region.*; table nor-here: it/);
    });

    it("a missing queue, by its channel", async () => {
      const { code, said } = await refusal({
        LULL_QUEUE_WHATSAPP: `${emulators.endpoint.sqs}/000000000000/nowhere`,
      });
      expect(code).toBe(2);
      expect(said).toMatch(/^lull: queue of channel whatsapp: it does not exist/);
    });

    it("no queue, no region, no credentials", async () => {
      expect(await refusal({ LULL_QUEUE_DEFAULT: "" })).toMatchObject({
        code: 2,
        said: expect.stringMatching(/LULL_QUEUE_DEFAULT/),
      });
      expect(await refusal({ AWS_REGION: "" })).toMatchObject({
        code: 2,
        said: expect.stringMatching(/AWS_REGION/),
      });
      expect(await refusal({ AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" })).toMatchObject({
        code: 2,
        said: expect.stringMatching(/check credentials/),
      });
    });

    it("credentials that AWS does not know, without the credentials", async () => {
      const server = createServer((_request, response) => {
        response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
        response.end(JSON.stringify({ __type: "UnrecognizedClientException", message: "invalid token" }));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      const { code, said } = await refusal({
        AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
        AWS_ACCESS_KEY_ID: "AKIAWRONG",
        AWS_SECRET_ACCESS_KEY: "wrong-secret",
      });
      expect(code).toBe(2);
      expect(said).toMatch(/^lull: AWS access: .*UnrecognizedClientException.*check credentials/);
      expect(said).not.toMatch(/AKIAWRONG|wrong-secret/);
      server.close();
    });

    it("AWS out of reach, as trouble that may pass", async () => {
      const { code, said } = await refusal({ AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:1" });
      expect(code).toBe(1);
      expect(said).toMatch(/^lull: table \S+: /);
    });
  });
});
