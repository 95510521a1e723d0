import assert from "node:assert/strict";
import { afterAll, beforeAll, it } from "vitest";
import { RETRYING } from "../../src/engines/aws/retry.ts";
import { type AwsFixture, awsFixture } from "./aws-fixture.ts";
import { CheckedService, REPLY, receiveAndDie } from "./checked-service.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import type { AwsRequest, Fate } from "./proxy.ts";

describeOnEmulators("a worker that dies", (emulators) => {
  let fixture: AwsFixture;
  beforeAll(async () => {
    fixture = await awsFixture(emulators, { settleMs: 1_000, leaseMs: 30_000, batchMessagesMax: 2 });
  });
  afterAll(() => fixture.close());

  /** The names of the requests, in their order. */
  async function requestsOf(sender: string): Promise<string[]> {
    const names: string[] = [];
    const onAnswered = ({ name }: AwsRequest, n: number) => {
      names[n - 1] = name;
    };
    const doomed = await fixture.openBehind({ onAnswered }, { holder: "watched" });
    await receiveAndDie(new CheckedService(fixture), doomed, await fixture.open("healthy"), sender);
    return names;
  }

  for (const when of ["before", "after"] as const) {
    it(`${when} any of its requests leaves every message in one turn, every chunk sent once`, async () => {
      const requests = await requestsOf(`${when}-0`);
      const healthy = await fixture.open("healthy");
      for (const name of ["PutItem", "SendMessage", "UpdateItem", "DeleteItem", "TransactWriteItems"]) {
        assert.ok(requests.includes(name), `no ${name} is among its requests`);
      }
      for (const [at, name] of requests.entries()) {
        const doomsday = at + 1;
        const sender = `${when}-${doomsday}`;
        const service = new CheckedService(fixture);
        const onRequest = (_: AwsRequest, n: number): Fate => (n === doomsday ? `die-${when}` : "pass");
        const doomed = await fixture.openBehind({ onRequest }, { holder: `doomed-${sender}` });
        try {
          await receiveAndDie(service, doomed, healthy, sender);
          await service.check(healthy, sender);
          assert.equal(service.orphans, 0, "it took the sweeper to find an orphan");
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
      { holder: `frozen ${came}`, ...opening },
    );
    const healthy = await fixture.open("healthy");
    const service = new CheckedService(fixture);
    const sender = `frozen ${came}`;
    await service.receive(sender, healthy);
    await fixture.clock.advance(10_000);
    const conversationId = service.conversations.get(sender)!;
    const looking = frozen.turns.take(conversationId).then(
      ({ kind }) => kind,
      ({ code }) => code,
    );
    await reached!.promise;
    await fixture.clock.advance(fixture.settings.leaseMs + fixture.settings.clockSkewMs);
    await service.carryOutAll(healthy, await fixture.takeDue(healthy));
    const outbound = {
      id: `o ${came}`,
      conversationId,
      channel: "test",
      to: sender,
      texts: REPLY,
      author: "eva",
    };
    assert.equal(await healthy.conversations.say(outbound), "staged");
    thaw!.resolve();
    await landed!.promise;
    assert.equal(await looking, came);
    assert.equal((await healthy.inspector.counts()).windows, 1);
    await service.settles(healthy);
    assert.equal((await service.check(healthy, sender)).length, 2);
    assert.equal(service.orphans, 0);
  });
});
