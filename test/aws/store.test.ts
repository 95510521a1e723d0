import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { createTables } from "../../src/engines/aws/dynamo/create-tables.ts";
import { DynamoStore } from "../../src/engines/aws/dynamo/dynamo-store.ts";
import {
  above,
  absent,
  all,
  any,
  atMost,
  beginsWith,
  below,
  type Condition,
  different,
  equal,
  not,
  present,
} from "../../src/engines/aws/dynamo/expression.ts";
import type { Store } from "../../src/engines/aws/dynamo/store.ts";
import { BY_ID, LEASED } from "../../src/engines/aws/dynamo/tables.ts";
import { tableNames } from "../../src/engines/aws/options.ts";
import { RETRYING } from "../../src/engines/aws/retry.ts";
import { StoreUnavailable } from "../../src/errors.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";
import { ImpossibleWrite } from "../../src/wire/aws-failure.ts";
import { UNHURRIED } from "./aws-fixture.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { numberCases } from "./number-cases.ts";
import { MemoryStore } from "./simulated/memory-store.ts";
import { MemoryTables } from "./simulated/memory-tables.ts";

const retrying = { ...RETRYING, ...UNHURRIED, baseMs: 0 };
const key = { conversation_id: "c" };
const row = (message_sid: string, more = {}) => ({ conversation_id: "c", message_sid, ...more });
const ofC = equal("conversation_id", "c");

/** What the steps rely on, of the real store and of the one in memory that stands in for it. */
function storeCases(open: () => Promise<Store>): void {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });

  it("an item is put, read whole, overwritten and deleted, and a delete tells what stood there", async () => {
    const item = { ...key, a: 1, list: ["x", { b: true, none: null }], gone: undefined };
    const { gone: _gone, ...kept } = item;
    expect(await store.get("state", key)).toBeUndefined();
    expect(await store.put("state", item)).toEqual({ kind: "done" });
    expect(await store.get("state", key)).toEqual(kept);
    expect(await store.put("state", { ...key, a: 2 })).toEqual({ kind: "done" });
    expect(await store.delete("state", key)).toEqual({ kind: "done", item: { ...key, a: 2 } });
    expect(await store.delete("state", key)).toEqual({ kind: "done" });
    expect(await store.get("state", key)).toBeUndefined();
  });

  it("a write that its condition refuses changes nothing and tells what stands there", async () => {
    await store.put("state", { ...key, a: 1 });
    const refused = { kind: "refused", item: { ...key, a: 1 } };
    const isNew = absent("conversation_id");
    expect(await store.put("state", { ...key, a: 2 }, isNew)).toEqual(refused);
    expect(await store.update("state", key, { set: { a: 2 } }, equal("a", 7), "ALL_NEW")).toEqual(refused);
    expect(await store.delete("state", key, above("a", 1))).toEqual(refused);
    expect(await store.get("state", key)).toEqual({ ...key, a: 1 });
    const missing = { conversation_id: "no-such-id" };
    expect(await store.update("state", missing, { set: { a: 2 } }, present("a"))).toEqual({
      kind: "refused",
    });
    expect(await store.put("state", { ...missing, a: 1 }, isNew)).toEqual({ kind: "done" });
  });

  it("an update sets, removes, keeps what is there, adds, and gives what it was asked for", async () => {
    await store.put("state", { ...key, a: 1, b: 1, n: 1 });
    const change = { set: { a: 2, b: undefined, c: "new" }, setIfAbsent: { d: 1 }, add: { n: 2, m: 3 } };
    const after = { ...key, a: 2, c: "new", d: 1, n: 3, m: 3 };
    const whole = await store.update("state", key, change, undefined, "ALL_NEW");
    expect(whole).toEqual({ kind: "done", item: after });
    expect(await store.update("state", key, { set: { a: 3 } }, undefined, "ALL_OLD")).toEqual({
      kind: "done",
      item: after,
    });
    expect(await store.update("state", key, { setIfAbsent: { a: 4 } })).toEqual({ kind: "done" });
    expect(await store.get("state", key)).toEqual({ ...after, a: 3 });
  });

  it.each<[string, Condition, boolean]>([
    ["an equal number", equal("n", 5), true],
    ["another number", equal("n", 6), false],
    ["a different text", different("t", "x"), true],
    ["nothing is different from everything", different("none", "x"), true],
    ["at most, at the limit", atMost("n", 5), true],
    ["at most, below it", atMost("n", 4), false],
    ["above, at the limit", above("n", 5), false],
    ["above", above("n", 4), true],
    ["below, at the limit", below("n", 5), false],
    ["below", below("n", 6), true],
    ["nothing is at most anything", atMost("none", 5), false],
    ["a text is at most no number", atMost("t", 5), false],
    ["NULL is at most no number", atMost("null", 5), false],
    ["not at most, of what is no number", not(atMost("null", 5)), true],
    ["NULL is there", present("null"), true],
    ["a beginning", beginsWith("t", "he"), true],
    ["another beginning", beginsWith("t", "lo"), false],
    ["both", all(present("n"), absent("none")), true],
    ["one of both", all(present("n"), present("none")), false],
    ["either", any(present("n"), present("none")), true],
    ["neither", any(absent("n"), present("none")), false],
    ["joined", all(any(equal("n", 6), equal("n", 5)), not(equal("t", "x"))), true],
  ])("a condition holds or not: %s", async (_, condition, holds) => {
    await store.put("state", { ...key, n: 5, t: "hello", null: null });
    const { kind } = await store.update("state", key, { set: { done: true } }, condition);
    expect(kind).toBe(holds ? "done" : "refused");
  });

  it("under what is no key of a table nothing is found, and nothing can be written", async () => {
    const long = "x".repeat(1_100);
    const [longer, none] = [long.repeat(2), ""];
    for (const sid of [long, none]) {
      expect(await store.get("stage", row(sid))).toBeUndefined();
      expect(await store.getMany("stage", [row(sid)])).toEqual([]);
      await expect(store.put("stage", row(sid))).rejects.toThrow(ImpossibleWrite);
    }
    for (const id of [longer, none]) {
      expect(await store.get("state", { conversation_id: id })).toBeUndefined();
      const ofNone = equal("conversation_id", id);
      expect(await store.query("stage", { key: all(ofNone, beginsWith("message_sid", "m")) })).toEqual([]);
      expect(await store.count("conversations", { index: BY_ID, key: ofNone })).toBe(0);
      const change = store.update("state", { conversation_id: id }, { set: { a: 1 } });
      await expect(change).rejects.toThrow(ImpossibleWrite);
    }
  });

  it("no write makes an item larger than items can be", async () => {
    const large = { ...key, a: "x".repeat(400_000) };
    await store.put("state", large);
    const more = { b: "x".repeat(10_000) };
    await expect(store.update("state", key, { set: more })).rejects.toThrow(ImpossibleWrite);
    await expect(store.put("state", { ...large, ...more })).rejects.toThrow(ImpossibleWrite);
    expect(await store.get("state", key)).toEqual(large);
  });

  describe("of many rows", () => {
    const sids = Array.from({ length: 7 }, (_, at) => `m${at}`);
    const sidsOf = (items: readonly Record<string, unknown>[]) => items.map(({ message_sid }) => message_sid);
    beforeEach(async () => {
      for (const [at, sid] of sids.entries()) await store.put("stage", row(sid, { at }));
      await store.put("stage", { conversation_id: "other", message_sid: "m9", at: 9 });
    });

    it("those of a key are read in order, or newest first, as many as are wanted", async () => {
      expect(sidsOf(await store.query("stage", { key: ofC }))).toEqual(sids);
      const newestFirst = await store.query("stage", { key: ofC, newestFirst: true, limit: 2 });
      expect(sidsOf(newestFirst)).toEqual(["m6", "m5"]);
      const beginning = all(ofC, beginsWith("message_sid", "m3"));
      expect(await store.query("stage", { key: beginning })).toEqual([row("m3", { at: 3 })]);
      expect(await store.query("stage", { key: equal("conversation_id", "no-such-id") })).toEqual([]);
    });

    it("a page says where the next one begins, until there is none", async () => {
      const pages: unknown[] = [];
      let from: Record<string, unknown> | undefined;
      do {
        const { items, next } = await store.queryPage("stage", { key: ofC, limit: 3, from });
        pages.push(sidsOf(items));
        from = next && row(String(next.message_sid));
      } while (from);
      expect(pages).toEqual([["m0", "m1", "m2"], ["m3", "m4", "m5"], ["m6"]]);
    });

    it("a table is gone through page by page, each row once", async () => {
      const found: unknown[] = [];
      let from: Record<string, unknown> | undefined;
      do {
        const { items, next } = await store.scanPage("stage", { limit: 3, from, filter: above("at", 1) });
        expect(items.length).toBeLessThanOrEqual(3);
        found.push(...sidsOf(items));
        const { conversation_id, message_sid } = next ?? {};
        from = next && { conversation_id, message_sid };
      } while (from);
      expect(found.sort()).toEqual(["m2", "m3", "m4", "m5", "m6", "m9"]);
    });

    it("they are counted by key, by filter and all together", async () => {
      expect(await store.count("stage", { key: ofC })).toBe(7);
      expect(await store.count("stage", { key: ofC, filter: above("at", 4) })).toBe(2);
      expect(await store.count("stage")).toBe(8);
    });

    it("many are read and written at once, however many, and each once", async () => {
      const ids = Array.from({ length: 130 }, (_, at) => `id-${String(at).padStart(3, "0")}`);
      await store.writeMany("seen", { put: ids.map((id) => ({ id, at: 1 })) });
      const keys = [...ids, ...ids.slice(0, 5), "no-such-id"].map((id) => ({ id }));
      const found = await store.getMany("seen", keys);
      expect(found.map(({ id }) => id).sort()).toEqual(ids);
      await store.writeMany("seen", { put: [{ id: "one more" }], delete: keys });
      expect(await store.getMany("seen", [...keys, { id: "one more" }])).toEqual([{ id: "one more" }]);
      await store.writeMany("seen", {});
      expect(await store.getMany("seen", [])).toEqual([]);
    });

    it("those of a key are read and counted to the end, also where a page holds a megabyte", async () => {
      const ofLarge = equal("conversation_id", "large");
      const large = ["l0", "l1", "l2", "l3", "l4"];
      for (const message_sid of large)
        await store.put("stage", { conversation_id: "large", message_sid, body: "x".repeat(380_000) });
      expect(sidsOf(await store.query("stage", { key: ofLarge }))).toEqual(large);
      expect(sidsOf(await store.query("stage", { key: ofLarge, limit: 4 }))).toEqual(large.slice(0, 4));
      expect(await store.count("stage", { key: ofLarge })).toBe(5);
      expect(await store.count("stage")).toBe(13);
    });

    it("an index has the rows that have its keys", async () => {
      const leased = (id: string, more = {}) => ({ conversation_id: id, lease_shard: "1", ...more });
      await store.put("state", leased("a", { lease_taken_at_ms: 5, lease_holder: "w1" }));
      await store.put("state", leased("b", { lease_taken_at_ms: 3, lease_holder: "w2" }));
      await store.put("state", leased("c"));
      const ofShard = equal("lease_shard", "1");
      const ids = async (reading: object) =>
        (await store.query("state", { index: LEASED, key: ofShard, ...reading })).map(
          ({ conversation_id }) => conversation_id,
        );
      expect(await ids({})).toEqual(["b", "a"]);
      expect(await ids({ newestFirst: true })).toEqual(["a", "b"]);
      expect(await ids({ key: all(ofShard, atMost("lease_taken_at_ms", 3)) })).toEqual(["b"]);
      expect(await ids({ filter: equal("lease_holder", "w1") })).toEqual(["a"]);
      expect(await store.count("state", { index: LEASED, key: ofShard })).toBe(2);
    });
  });

  describe("what no number of JavaScript is", () => numberCases(() => store));

  describe("a transaction", () => {
    const put = (id: string, condition?: Condition) =>
      ({ kind: "put", table: "seen", item: { id }, ...(condition && { condition }) }) as const;

    it("writes all of it, over several tables", async () => {
      await store.put("stage", row("m1"));
      await store.put("state", { ...key, n: 1 });
      const done = await store.transact(
        [
          { kind: "delete", table: "stage", key: row("m1") },
          { kind: "update", table: "state", key, change: { set: { a: 1 }, add: { n: 1 } } },
          put("x", absent("id")),
        ],
        "token-of-a-transaction-that-is-done",
      );
      expect(done).toEqual({ kind: "done" });
      expect(await store.get("stage", row("m1"))).toBeUndefined();
      expect(await store.get("state", key)).toEqual({ ...key, a: 1, n: 2 });
      expect(await store.get("seen", { id: "x" })).toEqual({ id: "x" });
    });

    it("writes nothing of it where conditions fail, and tells which, and what stands there", async () => {
      await store.put("state", { ...key, n: 1 });
      const refused = await store.transact(
        [
          put("x"),
          { kind: "update", table: "state", key, change: { set: { n: 2 } }, condition: equal("n", 7) },
          { kind: "delete", table: "stage", key: row("m1"), condition: present("message_sid") },
        ],
        "token-of-a-transaction-refused",
      );
      expect(refused).toEqual({
        kind: "refused",
        by: new Map<number, unknown>([
          [1, { ...key, n: 1 }],
          [2, undefined],
        ]),
      });
      expect(await store.get("seen", { id: "x" })).toBeUndefined();
    });

    it("that is made again is the same one", async () => {
      const counting = [{ kind: "update", table: "state", key, change: { add: { n: 1 } } }] as const;
      for (let times = 0; times < 3; times += 1)
        expect(await store.transact(counting, "token-of-one-that-counts")).toEqual({ kind: "done" });
      expect(await store.get("state", key)).toEqual({ ...key, n: 1 });
    });

    it("that adds to what is no number can never be written, and says which part it is", async () => {
      await store.put("state", { ...key, n: "many" });
      const adding = { kind: "update", table: "state", key, change: { add: { n: 1 } } } as const;
      const failed = await store.transact([put("x"), adding], "token-of-an-impossible-one").catch((e) => e);
      expect(failed).toBeInstanceOf(ImpossibleWrite);
      expect([...(failed as ImpossibleWrite).actions]).toEqual([1]);
      expect(await store.get("seen", { id: "x" })).toBeUndefined();
    });
  });
}

describe("tables in memory", () =>
  storeCases(async () => {
    const now = async () => {};
    const around = { delay: now, indexLag: () => 0, sees: "all", scribble: () => {} } as const;
    return new MemoryStore(new MemoryTables(), {
      ...around,
      repeats: () => false,
      meets: (_name, happen) => happen(),
    });
  }));

describeOnEmulators("DynamoDB", (emulators) => {
  const clients: DynamoDBClient[] = [];
  let count = 0;
  afterAll(async () => {
    for (const client of clients) client.destroy();
  });

  async function opened(): Promise<{
    store: Store;
    client: DynamoDBClient;
    clock: ReturnType<typeof fakeClock>;
  }> {
    count += 1;
    const tablePrefix = `store-${count}-`;
    const client = emulators.dynamodb();
    clients.push(client);
    await createTables({ tablePrefix, clients: { dynamodb: client } });
    const clock = fakeClock();
    return { client, clock, store: new DynamoStore(client, tableNames({ tablePrefix }), retrying, clock) };
  }

  storeCases(async () => (await opened()).store);

  describe("that throttles a batch", () => {
    /** So many requests of a kind come back undone. */
    function undone(client: DynamoDBClient, times: number): () => number {
      let asked = 0;
      client.middlewareStack.add(
        (next) => async (args) => {
          const input = args.input as { RequestItems?: unknown };
          if (input.RequestItems === undefined) return next(args);
          asked += 1;
          if (asked > times) return next(args);
          const left = { UnprocessedKeys: input.RequestItems, UnprocessedItems: input.RequestItems };
          return { output: { $metadata: {}, ...left }, response: {} } as never;
        },
        { step: "initialize" },
      );
      return () => asked;
    }
    const ids = ["a", "b", "c"].map((id) => ({ id }));

    it("is asked for the rest until all is done", async () => {
      const { store, client } = await opened();
      const asked = undone(client, 3);
      await store.writeMany("seen", { put: ids });
      expect(asked()).toBe(4);
      expect(await store.getMany("seen", ids)).toHaveLength(3);
    });

    it("and goes on doing so is told, after as many tries as a request has", async () => {
      for (const name of ["getMany", "writeMany"] as const) {
        const { store, client } = await opened();
        const asked = undone(client, 99);
        const tried = name === "getMany" ? store.getMany("seen", ids) : store.writeMany("seen", { put: ids });
        await expect(tried).rejects.toBeInstanceOf(StoreUnavailable);
        expect(asked()).toBe(retrying.attemptsMax);
      }
    });
  });

  it("that does not answer a request is told as an outage, and never taken for a condition", async () => {
    const { store, client } = await opened();
    const name = "ProvisionedThroughputExceededException";
    let asked = 0;
    client.middlewareStack.add(
      () => async () => {
        asked += 1;
        throw Object.assign(new Error("too fast"), { name, $metadata: {} });
      },
      { step: "initialize" },
    );
    const isNew = absent("conversation_id");
    const item = { kind: "put", table: "state", item: key, condition: isNew } as const;
    const requests = {
      get: () => store.get("state", key),
      put: () => store.put("state", key, isNew),
      update: () => store.update("state", key, { set: { a: 1 } }, isNew),
      delete: () => store.delete("state", key, isNew),
      query: () => store.query("state", { key: ofC }),
      scanPage: () => store.scanPage("state", {}),
      count: () => store.count("state", { key: ofC }),
      getMany: () => store.getMany("state", [key]),
      writeMany: () => store.writeMany("state", { put: [key] }),
      transact: () => store.transact([item], "token-of-one-that-is-throttled"),
    };
    for (const [what, request] of Object.entries(requests)) {
      asked = 0;
      await expect(request(), what).rejects.toBeInstanceOf(StoreUnavailable);
      expect(asked, what).toBe(retrying.attemptsMax);
    }
  });

  it("without one of the tables says which", async () => {
    const { client, clock } = await opened();
    const store = new DynamoStore(client, tableNames({ tablePrefix: "nowhere-" }), retrying, clock);
    const nowhere = /table nowhere-conversations-state does not exist/;
    await expect(store.get("state", key)).rejects.toThrow(nowhere);
    await expect(store.put("state", key, absent("conversation_id"))).rejects.toThrow(nowhere);
  });

  it("is asked for no more at once than it takes: 100 reads, 25 writes", async () => {
    const { store, client } = await opened();
    const sizes: number[] = [];
    client.middlewareStack.add(
      (next) => async (args) => {
        const { RequestItems } = args.input as { RequestItems?: Record<string, { Keys?: [] } | []> };
        const [batch] = Object.values(RequestItems ?? {});
        if (batch) sizes.push(Array.isArray(batch) ? batch.length : batch.Keys!.length);
        return next(args);
      },
      { step: "initialize" },
    );
    const ids = Array.from({ length: 130 }, (_, at) => ({ id: `id-${at}` }));
    await store.writeMany("seen", { put: ids });
    expect(sizes.splice(0)).toEqual([25, 25, 25, 25, 25, 5]);
    await store.getMany("seen", ids);
    expect(sizes).toEqual([100, 30]);
  });
});
