import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { RETRYING } from "../../src/engines/aws/retry.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { CheckedTraffic, runWithDeath } from "./checked-traffic.ts";
import { type Emulators, startEmulators, unavailable } from "./emulators.ts";
import type { AwsRequest, Fate } from "./proxy.ts";

describe.skipIf(unavailable)("a worker that dies", () => {
  let emulators: Emulators;
  let fixture: AwsFixture;
  beforeAll(async () => {
    emulators = await startEmulators();
    fixture = await awsFixture(emulators, { settleMs: 1_000, leaseMs: 30_000, batchMessagesMax: 2 });
  });
  afterAll(async () => {
    await fixture.close();
    await emulators.stop();
  });

  /** The names of the requests, in their order. */
  async function requestsOf(sender: string): Promise<string[]> {
    const names: string[] = [];
    const onAnswered = ({ name }: AwsRequest, n: number) => {
      names[n - 1] = name;
    };
    const doomed = await fixture.openBehind({ onAnswered }, { workerId: "watched" });
    await runWithDeath(new CheckedTraffic(fixture), doomed, await fixture.open("healthy"), sender);
    return names;
  }

  for (const when of ["before", "after"] as const) {
    it(`${when} any of its requests leaves every message in exactly one turn, and every chunk sent once`, async () => {
      const requests = await requestsOf(`${when}-0`);
      const healthy = await fixture.open("healthy");
      for (const name of ["PutItem", "SendMessage", "UpdateItem", "DeleteItem", "TransactWriteItems"]) {
        assert.ok(requests.includes(name), `${name} is not among them`);
      }
      for (const [at, name] of requests.entries()) {
        const doomsday = at + 1;
        const sender = `${when}-${doomsday}`;
        const traffic = new CheckedTraffic(fixture);
        const onRequest = (_: AwsRequest, n: number): Fate => (n === doomsday ? `die-${when}` : "pass");
        const doomed = await fixture.openBehind({ onRequest }, { workerId: `doomed-${sender}` });
        try {
          await runWithDeath(traffic, doomed, healthy, sender);
          await traffic.check(healthy, sender);
          assert.equal(traffic.orphans, 0, "it took the sweeper to find an orphan");
        } catch (error) {
          throw new Error(`died ${when} request ${doomsday} (${name})`, { cause: error });
        }
      }
    }, 300_000);
  }

  it.each([
    ["is frozen before it disarms", {}, "nothing"],
    // A request that was given up may be on its way still.
    ["gives up before it has disarmed", { more: { retrying: RETRYING } }, "STORE_UNAVAILABLE"],
  ])("or %s, until its lease lapsed, takes no window away that was made since", async (_, opening, came) => {
    const [reached, thaw, landed] = [1, 2, 3].map(() => Promise.withResolvers<void>());
    let onTheWay = 0;
    const onRequest = async ({ name }: AwsRequest): Promise<Fate> => {
      if (name !== "DeleteItem") return "pass";
      reached!.resolve();
      onTheWay += 1;
      await thaw!.promise;
      return "pass";
    };
    const onAnswered = ({ name }: AwsRequest) => {
      if (name === "DeleteItem") onTheWay -= 1;
      if (onTheWay === 0) landed!.resolve();
    };
    const frozen = await fixture.openBehind(
      { onRequest, onAnswered },
      { workerId: `frozen ${came}`, ...opening },
    );
    const healthy = await fixture.open("healthy");
    const traffic = new CheckedTraffic(fixture);
    const sender = `frozen ${came}`;
    await traffic.receive(sender, healthy);
    await fixture.clock.advance(10_000);
    const conversationId = traffic.conversations.get(sender)!;
    const looking = frozen.turns.take(conversationId).then(
      ({ kind }) => kind,
      ({ code }) => code,
    );
    await reached!.promise;
    await fixture.clock.advance(fixture.settings.leaseMs + fixture.settings.clockSkewMs);
    await traffic.carryOutAll(healthy, await fixture.takeDue(healthy));
    const outbound = {
      id: `o ${came}`,
      conversationId,
      channel: "test",
      to: sender,
      texts: ["by a human"],
      author: "eva",
    };
    assert.equal(await healthy.conversations.say(outbound), "staged");
    thaw!.resolve();
    await landed!.promise;
    assert.equal(await looking, came);
    assert.equal((await healthy.inspector.counts()).windows, 1);
    await traffic.settles(healthy);
    assert.equal((await traffic.check(healthy, sender)).length, 2);
    assert.equal(traffic.orphans, 0);
  });
});
