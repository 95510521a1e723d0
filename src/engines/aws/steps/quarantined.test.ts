import { beforeEach, describe, expect, it } from "vitest";
import { long } from "../../../../test/aws/simulated/long-numbers.ts";
import { type MemoryFixture, memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import type { Engine } from "../../../ports/engine.ts";

describe("rows that are not ours", () => {
  let fixture: MemoryFixture;
  let engine: Engine;
  let raw: string;

  /** Two in place, and one that had to give way. */
  beforeEach(async () => {
    const made = await memoryScene();
    ({ fixture } = made);
    ({ engine } = made.s);
    const { conversationId } = await made.s.receive("hi");
    const key = { conversation_id: conversationId };
    fixture.write("state", { ...key, works: "none" });
    raw = JSON.stringify({ ...key, works: "none" });
    await made.s.windowPasses();
    await made.s.reply(await made.s.take());
    fixture.write("stage", { ...key, message_sid: "theirs" });
    fixture.write("triggerLock", { conversation_id: "theirs" });
  });

  const page = async (limit: number, cursor?: string) => {
    const { items, next } = await engine.inspector.quarantined!({ limit, ...(cursor && { cursor }) });
    return { tables: items.map(({ table }) => table), items, next };
  };

  it("are listed a page at a time, first those in place, then those set aside, each once", async () => {
    const all = ["conversations-stage", "conversations-trigger-lock", "conversations-state"];
    expect((await page(10)).tables).toEqual(all);
    const [whole, first] = [await page(3), await page(2)];
    expect(whole.tables).toEqual(all);
    expect([first.tables, first.next]).toEqual([all.slice(0, 2), expect.any(String)]);
    const second = await page(2, first.next);
    expect([second.tables, second.next]).toEqual([all.slice(2), undefined]);
  });

  it("are shown with all that they hold", async () => {
    const odd = {
      tags: new Set(["a"]),
      bytes: new Uint8Array([104, 105]),
      at: long("1767225600.12345678901"),
    };
    const shown = { tags: ["a"], bytes: "aGk=", at: "1767225600.12345678901" };
    const read = async () =>
      (await page(10)).items.map((row) => JSON.parse(row.raw)).filter(({ tags }) => tags);
    fixture.write("triggerLock", { conversation_id: "odd", ...odd });
    expect(await read()).toEqual([{ conversation_id: "odd", ...shown }]);
    fixture.write("state", { conversation_id: "odd", ...odd, works: odd.tags });
    await engine.turns.take("odd");
    expect(await read()).toMatchObject([shown, { ...shown, works: ["a"] }]);
  });

  it("and were set aside are listed on as many pages as it takes", async () => {
    for (const id of ["one", "two", "three"]) {
      fixture.write("state", { conversation_id: id, works: "none" });
      await engine.turns.take(id);
    }
    const seen: (string | undefined)[] = [];
    let cursor: string | undefined;
    do {
      const { items, next } = await page(2, cursor);
      expect(items.length).toBeLessThanOrEqual(2);
      seen.push(...items.map(({ conversationId }) => conversationId));
      cursor = next;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(6);
    expect(seen.slice(2, 5)).toEqual(["three", "two", "one"]);
  });

  it("and are many, between ours and on many pages, are all counted, and each listed once", async () => {
    const { fixture, s } = await memoryScene({}, { pageRowsMax: 3 });
    const count = 25;
    for (let n = 0; n < count; n += 1) {
      // Ours between theirs, and whole pages of ours.
      await s.receive({ sender: `sender ${n}`, text: "hi" });
      if (n % 2 === 0) fixture.write("stage", { conversation_id: `theirs ${n}`, message_sid: "SM1" });
      if (n % 4 === 0) fixture.write("triggerLock", { conversation_id: `z theirs ${n}` });
      fixture.write("state", { conversation_id: `aside ${n}`, works: "none" });
      await s.engine.turns.take(`aside ${n}`);
    }
    const theirs = 13 + 7 + count;
    const { quarantined, staged, windows } = await s.engine.inspector.counts();
    expect([quarantined, staged, windows]).toEqual([theirs, count, count]);
    for (const limit of [1, 2, 7, 50]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const { items, next } = await s.engine.inspector.quarantined({ limit, ...(cursor && { cursor }) });
        expect(items.length).toBeLessThanOrEqual(limit);
        if (next !== undefined) expect(items).not.toEqual([]);
        seen.push(...items.map(({ id }) => id));
        cursor = next;
      } while (cursor !== undefined);
      expect([seen.length, new Set(seen).size]).toEqual([theirs, theirs]);
    }
  });

  it("and were set aside are kept whole, with what they looked like when they were read", async () => {
    const { items } = await page(10);
    const aside = JSON.parse(items[2]!.raw) as object;
    expect(aside).toMatchObject(JSON.parse(raw) as object);
  });

  it("are discarded when an operator says so, once", async () => {
    for (const { id } of (await page(10)).items) {
      expect(await engine.repairs.discardQuarantined!(id)).toBe("discarded");
      expect(await engine.repairs.discardQuarantined!(id)).toBe("not-found");
    }
    expect((await page(10)).tables).toEqual([]);
    expect((await engine.inspector.counts()).quarantined).toBe(0);
  });

  it("and never were, or are ours by now, are not discarded", async () => {
    const [first] = (await page(1)).items;
    for (const none of ["unknown", "stage:nonsense", `stage:${Buffer.from("null").toString("base64url")}`])
      expect(await engine.repairs.discardQuarantined!(none)).toBe("not-found");
    const key = { conversation_id: first!.conversationId!, message_sid: "theirs" };
    const ours = {
      kind: "outbound",
      channel: "test",
      received_at: 1,
      reply_to: "ana",
      texts: [],
      author: "eva",
    };
    fixture.write("stage", { ...key, ...ours });
    expect(await engine.repairs.discardQuarantined!(first!.id)).toBe("not-found");
    expect(fixture.row("stage", key)).toMatchObject(ours);
  });
});
