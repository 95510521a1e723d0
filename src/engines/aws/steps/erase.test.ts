import { expect, it } from "vitest";
import { memoryAws } from "../../../../test/aws/simulated/memory-aws.ts";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { StoreUnavailable } from "../../../errors.ts";
import { allSent, as, draftFor, replied } from "../../../testing/engine-contract/builders.ts";
import { leaseShardOf } from "../items/keys.ts";

it("an erasure that is cut short has removed the running turn's words, and can be repeated", async () => {
  const { s, fixture } = await memoryScene();
  const taken = await s.turnFor("my secret");
  as("drafted", await s.engine.turns.draft(taken.lease, draftFor(taken, "your secret")));
  const { id } = taken.conversation;
  fixture.before("request.query", () => Promise.reject(new StoreUnavailable("the table is away")));
  await expect(s.engine.conversations.erase(id)).rejects.toBeInstanceOf(StoreUnavailable);
  const row = fixture.row("state", { conversation_id: id });
  expect(JSON.stringify(row)).not.toContain("secret");
  expect(row).not.toHaveProperty("works");
  as("lost", await s.engine.turns.draft(taken.lease, draftFor(taken, "your secret")));
  expect(await s.engine.conversations.erase(id)).toBe("erased");
  expect(fixture.row("state", { conversation_id: id })).toBeUndefined();
  await s.atRest();
});

it("an erasure that is cut short leaves its lease where this installation's sweeps look", async () => {
  const fixture = memoryAws();
  const cutShort = (name: string) => name === "query" && isErasing;
  let isErasing = false;
  const engine = fixture.open(
    "worker",
    async ({ name }, happen) => {
      if (cutShort(name)) throw new StoreUnavailable("the table is away");
      return happen();
    },
    { leaseShards: 1 },
  );
  const ids: string[] = [];
  for (const text of ["one", "two"]) {
    const taken = await fixture.turnFor(engine, text);
    const done = replied(taken, allSent(draftFor(taken)), { complete: true });
    as("committed", await engine.turns.commit(taken.lease, done));
    ids.push(taken.conversation.id);
  }
  isErasing = true;
  for (const id of ids) {
    await expect(engine.conversations.erase(id)).rejects.toBeInstanceOf(StoreUnavailable);
    const { lease_shard } = fixture.tables.read("state", { conversation_id: id })!;
    expect(lease_shard).toBe(leaseShardOf(id, 1));
  }
});

it("an erasure that dies after any request, and is repeated, leaves no name of the person", async () => {
  for (let requests = 0; ; requests += 1) {
    const { first, left } = await erasedTwice(requests);
    expect({ requests, left }).toEqual({ requests, left: [] });
    if (first === "erased") return expect(requests).toBeGreaterThan(20);
  }
});

/** Two complete conversations and an open one. What still names the person after the second erasure. */
async function erasedTwice(requests: number) {
  const fixture = memoryAws();
  const engine = fixture.open("worker");
  let last = "";
  for (const complete of [true, true, false]) {
    const taken = await fixture.turnFor(engine, "hi");
    const done = replied(taken, allSent(draftFor(taken)), complete ? { complete } : {});
    as("committed", await engine.turns.commit(taken.lease, done));
    last = taken.conversation.id;
  }
  let left = requests;
  const dying = fixture.open("dying", async (_, happen) => {
    left -= 1;
    if (left < 0) throw new StoreUnavailable("died");
    return happen();
  });
  const first = await dying.conversations.erase(last).catch(() => "died");
  await fixture.open("another").conversations.erase(last);
  const rows = (["state", "conversations", "messages", "stage"] as const).flatMap((table) =>
    fixture.tables.all(table, undefined, "all"),
  );
  return { first, left: rows.filter((row) => Object.values(row).includes("ana")) };
}
