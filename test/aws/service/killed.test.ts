import { fileURLToPath } from "node:url";
import { PurgeQueueCommand } from "@aws-sdk/client-sqs";
import { afterEach, expect, it } from "vitest";
import type { Environment } from "../../../tools/aws-local/function-instance.ts";
import { eventually } from "../../lull-process.ts";
import { atRest, committed } from "../../service/platform.ts";
import { describeOnFunctionsOf, type LambdaService, SOON, startLambdaService } from "./aws-platform.ts";
import { addressOf, Deaths } from "./deaths.ts";

const IMPATIENT = fileURLToPath(new URL("./impatient.ts", import.meta.url));
/** Longer than one message may be, so that every reply has two parts. */
const LONG = "a ".repeat(900);

describeOnFunctionsOf(IMPATIENT, "a function killed at any step of its work", (emulation) => {
  let deaths: Deaths;
  let at: LambdaService;
  afterEach(async () => {
    await at.end();
    await deaths.close();
  });

  async function set(more: Environment = {}): Promise<void> {
    deaths = new Deaths(emulation.emulators);
    const environment = {
      ...SOON,
      // One conversation in each event, so that it is known which one dies.
      LULL_LOCAL_BATCH_MAX: "1",
      LULL_LOCAL_INSTANCES_MAX: "3",
      ...more,
    };
    at = await startLambdaService(emulation, environment, { envOf: deaths.envOf });
    deaths.aws = at.aws;
    at.openai.behave(({ lastUserText }) => `${lastUserText} ${LONG}`);
  }

  const sentTo = (customer: number) =>
    at.twilio.sent.filter(({ to }) => to === `whatsapp:${addressOf(customer)}`).map(({ body }) => body);

  /** A worker's requests for one turn, from trigger to commit, without a fault. */
  async function watched(): Promise<{ steps: readonly string[]; turns: number }> {
    for (let turns = 1; ; turns += 1) {
      const customer = 900 + turns;
      await at.write(customer, "watched");
      await committed(at, turns);
      await atRest(at);
      expect(sentTo(customer)).toHaveLength(2);
      const steps = deaths.stepsOf("worker", customer);
      // On a busy machine a send may take too long, and another event ends the turn.
      if (steps.includes("TransactWriteItems")) return { steps, turns };
    }
  }

  const orphans = () => at.events.filter(({ event }) => event === "sweep.orphan");

  it("the worker: every message in one turn, every part of its reply sent once, none an orphan", async () => {
    await set();
    const { steps, turns } = await watched();
    const expected = ["UpdateItem conversations-state", "DeleteItem conversations-trigger-lock"];
    for (const name of [...expected, "Query conversations-stage"]) expect(steps).toContain(name);

    const customers = [0, ...steps.keys()].map((_, n) => n + 1);
    for (const customer of customers) deaths.plan("worker", customer - 1, customer);
    // Deaths at the provider: while it thinks, and before and after it took either part of the reply.
    const thinking = 50;
    const sending = new Map([
      [60, { part: 1, tookEffect: false }],
      [61, { part: 1, tookEffect: true }],
      [62, { part: 2, tookEffect: false }],
      [63, { part: 2, tookEffect: true }],
    ]);
    const dead = new Set<number>();
    at.openai.behave(({ lastUserText }) => {
      const customer = Number(lastUserText.split(" ")[1]);
      if (customer !== thinking || dead.has(customer)) return `${lastUserText} ${LONG}`;
      dead.add(customer);
      deaths.kill("worker", customer);
      return { kind: "hang" };
    });
    const posts = new Map<number, number>();
    at.twilio.behave(({ method, body }) => {
      const to = new URLSearchParams(body).get("To") ?? "";
      const customer = Number(to.slice(-5));
      const death = sending.get(customer);
      if (method !== "POST" || !death || dead.has(customer)) return { kind: "ok" };
      posts.set(customer, (posts.get(customer) ?? 0) + 1);
      if (posts.get(customer) !== death.part) return { kind: "ok" };
      dead.add(customer);
      deaths.kill("worker", customer);
      return { kind: "hang", tookEffect: death.tookEffect };
    });

    const all = [...customers, thinking, ...sending.keys()];
    const answers = await Promise.all(all.map((customer) => at.write(customer, `number ${customer}`)));
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 200));
    await committed(at, turns + all.length);
    expect(await atRest(at)).toMatchObject({ dead: 0, unknown: 0, turns: turns + all.length });
    // A warm instance, or one out of time, takes fewer steps: some may not get as far as planned.
    expect(deaths.left.length).toBeLessThanOrEqual(2);
    expect(dead.size).toBe(1 + sending.size);
    const parts = (customer: number) => sentTo(customer).map((body) => body.slice(0, 12));
    for (const customer of all) {
      expect([customer, parts(customer)]).toEqual([
        customer,
        [`number ${customer} ${LONG}`.slice(0, 12), LONG.slice(0, 12)],
      ]);
    }
    expect(orphans()).toEqual([]);
  });

  it("the webhook: a redelivery makes it whole, and nothing is answered twice", async () => {
    await set();
    await at.write(0, "watched");
    const steps = deaths.stepsOf("webhook", 0);
    const last = ["PutItem conversations-stage", "PutItem conversations-trigger-lock", "SendMessage"];
    expect(steps.slice(-3)).toEqual(last);

    const redelivered = [0, ...steps.keys()].map((_, n) => 100 + n);
    const forgotten = [0, ...steps.keys()].map((_, n) => 200 + n);
    for (const customer of [...redelivered, ...forgotten]) deaths.plan("webhook", customer % 100, customer);
    const deliver = async (customer: number) => {
      const { status, sid } = await at.write(customer, `number ${customer}`);
      // Killed before it could answer. A gateway turns that into a 500, and the provider may or may not come
      // again.
      expect([customer, status]).toEqual([customer, 500]);
      if (customer >= 200) return;
      expect((await at.write(customer, `number ${customer}`, { sid })).status).toBe(200);
    };
    await Promise.all([...redelivered, ...forgotten].map(deliver));
    expect(deaths.left).toEqual([]);
    await eventually("every redelivered message's reply", async () =>
      redelivered.every((customer) => sentTo(customer).length === 2) ? true : undefined,
    );
    expect(await atRest(at)).toMatchObject({ dead: 0, unknown: 0 });
    const heard = at.openai.asked.map(({ lastUserText }) => lastUserText);
    for (const customer of redelivered) {
      expect(heard.filter((text) => text === `number ${customer}`)).toHaveLength(1);
    }
    // What was staged before the death is answered as well, though it was never acknowledged.
    for (const customer of forgotten) {
      const isStaged = customer - 200 >= steps.length - 2;
      expect([customer, sentTo(customer).length]).toEqual([customer, isStaged ? 2 : 0]);
      expect(heard.filter((text) => text === `number ${customer}`)).toHaveLength(isStaged ? 1 : 0);
    }
  });

  it("the sweeper, each time a step later: stranded messages are answered once", async () => {
    await set({ LULL_WINDOW_SECONDS: "2", LULL_LOCAL_SWEEP_SECONDS: "0.1" });
    const customers = Array.from({ length: 8 }, (_, n) => 300 + n);
    await Promise.all(customers.map((customer) => at.write(customer, `number ${customer}`)));
    const sqs = emulation.emulators.sqs();
    await sqs.send(new PurgeQueueCommand({ QueueUrl: at.aws.queues.whatsapp }));
    sqs.destroy();
    for (let n = 0; (await at.counts()).turns !== customers.length && n < 40; n += 1) {
      deaths.plan("sweeper", n);
      await eventually("its death", async () => (deaths.left.length === 0 ? true : undefined));
    }
    await committed(at, customers.length);
    expect(await atRest(at)).toMatchObject({ dead: 0, unknown: 0, turns: customers.length });
    for (const customer of customers) expect([customer, sentTo(customer).length]).toEqual([customer, 2]);
    expect(orphans()).toEqual([]);
  });
});
