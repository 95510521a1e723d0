import { beforeEach, expect, it } from "vitest";
import { asRead, isAsRead } from "../../src/engines/aws/dynamo/exact.ts";
import {
  all,
  type Condition,
  equal,
  type Item,
  present,
  within,
} from "../../src/engines/aws/dynamo/expression.ts";
import type { Store } from "../../src/engines/aws/dynamo/store.ts";
import { LEASED } from "../../src/engines/aws/dynamo/tables.ts";
import { ImpossibleWrite } from "../../src/wire/aws-failure.ts";
import { LONG_NUMBERS, long } from "./simulated/long-numbers.ts";

const key = { conversation_id: "c" };

/** What the steps rely on where an attribute holds what JavaScript, or DynamoDB, cannot. */
export function numberCases(opened: () => Store): void {
  let store: Store;
  beforeEach(() => {
    store = opened();
  });

  const isWritten = async (condition: Condition) =>
    (await store.update("state", key, { set: { done: true } }, condition)).kind === "done";

  it.each(LONG_NUMBERS)(
    "%s is read as the nearest number, and compared and written as it stands",
    async (text) => {
      await store.put("state", { ...key, at: long(text), map: { list: [long(text)], small: 0.5 } });
      const item = (await store.get("state", key))!;
      expect(item).toEqual({ ...key, at: Number(text), map: { list: [Number(text)], small: 0.5 } });
      expect(await isWritten(all(isAsRead(item, "at"), isAsRead(item, "map"), isAsRead(item, "none")))).toBe(
        true,
      );
      const copied = { at: asRead(item, "at"), map: asRead(item, "map") };
      await store.update("state", key, { set: { ...copied, copied: copied.at } });
      expect(await isWritten(all(isAsRead(item, "at"), isAsRead(item, "map")))).toBe(true);
      await store.update("state", key, { set: { at: long("1767225600123456788") } });
      expect(await isWritten(isAsRead(item, "at"))).toBe(false);
      const { item: refused } = await store.update("state", key, { set: { a: 1 } }, present("no-such-name"));
      expect(await isWritten(isAsRead(refused!, "copied"))).toBe(true);
    },
  );

  it("an index by numbers of many digits is gone through to its end, each row once", async () => {
    for (const n of [1, 2, 3, 4, 5])
      await store.put("state", {
        conversation_id: `c${n}`,
        lease_shard: "1",
        lease_taken_at_ms: long(`176722560012345678${n}`),
      });
    const reading = { index: LEASED, key: equal("lease_shard", "1"), limit: 2 };
    const ids: unknown[] = [];
    for (let from: Item | undefined, more = true; more; more = from !== undefined) {
      const { items, next } = await store.queryPage("state", { ...reading, from });
      ids.push(...items.map(({ conversation_id }) => conversation_id));
      from = next;
    }
    expect(ids).toEqual(["c1", "c2", "c3", "c4", "c5"]);
  });

  it.each<[string, unknown, Condition, boolean]>([
    ["NULL is NULL", null, equal("it", null), true],
    ["NULL is no text", null, equal("it", ""), false],
    ["a list is the same list", [1, { a: ["x"] }], equal("it", [1, { a: ["x"] }]), true],
    ["a list is no longer one", [1], equal("it", [1, 2]), false],
    ["a map is the same map", { a: 1, b: null }, equal("it", { b: null, a: 1 }), true],
    ["a set is the same set", new Set(["a", "b"]), equal("it", new Set(["b", "a"])), true],
    ["a set is no list", new Set(["a"]), equal("it", ["a"]), false],
    ["bytes are the same bytes", new Uint8Array([1, 2]), equal("it", new Uint8Array([1, 2])), true],
    ["a number is the same, however it is written", long("1.50"), equal("it", 1.5), true],
    ["a member of a map", { a: 1, "b.c": 2 }, within("it", all(equal("a", 1), equal("b.c", 2))), true],
    ["another member of a map", { a: 1 }, within("it", equal("a", 2)), false],
    ["a member of what is no map", "text", within("it", present("a")), false],
  ])("%s", async (_, it, condition, holds) => {
    await store.put("state", { ...key, it });
    expect(await isWritten(condition)).toBe(holds);
  });

  it("a member of a map is set or removed, and what else the map holds keeps its digits", async () => {
    const map = { kept: long(LONG_NUMBERS[0]!), old: 1 };
    await store.put("state", { ...key, map });
    await store.update("state", key, { setWithin: { map: "map", set: { new: "x", old: undefined } } });
    expect(await isWritten(equal("map", { kept: map.kept, new: "x" }))).toBe(true);
    const inText = { setWithin: { map: "conversation_id", set: { a: 1 } } };
    await expect(store.update("state", key, inText)).rejects.toBeInstanceOf(ImpossibleWrite);
  });

  it("what no number can be is a write that is never possible, told with its part of several", async () => {
    const impossible = { ...key, n: 2 ** 60 };
    for (const written of [
      () => store.put("state", impossible),
      () => store.put("state", key, equal("n", Number.NaN)),
      () => store.update("state", key, { set: { n: -(2 ** 60) } }),
      () => store.delete("state", key, equal("n", 1e100)),
    ])
      await expect(Promise.resolve().then(written)).rejects.toBeInstanceOf(ImpossibleWrite);
    const failed = await store
      .transact([{ kind: "put", table: "seen", item: { id: "x" } }, put(impossible)], "token-of-no-number")
      .catch((error) => error);
    expect([failed.name, ...failed.actions]).toEqual(["ImpossibleWrite", 1]);
    expect(await store.get("seen", { id: "x" })).toBeUndefined();
  });
}

const put = (item: Item) => ({ kind: "put", table: "state", item }) as const;
