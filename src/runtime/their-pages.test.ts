import { expect, test } from "vitest";
import type { Page } from "../ports/inspector.ts";
import { theirPages, UNBOUND } from "./their-pages.ts";

/** Rows 0, 1, 2, ... of which the last is theirs. */
function store(rows: number) {
  const read = { rows: 0, pages: 0 };
  const list = async ({ limit, cursor = "0" }: Page) => {
    const items = Array.from(
      { length: Math.min(limit, rows - Number(cursor)) },
      (_, at) => Number(cursor) + at,
    );
    read.rows += items.length;
    read.pages += 1;
    const next = Number(cursor) + items.length;
    return { items, ...(next < rows && { next: String(next) }) };
  };
  return { read, list, theirs: theirPages(list, (row) => row === rows - 1) };
}

test.each([
  [500, 2_000, 4],
  [10, 2_000, 20],
  [1, 2_000, 20],
])("a page of %i reads %i rows of others in %i pages, says where to go on, and no more", async (...given) => {
  const [limit, rows, pages] = given;
  const { read, theirs } = store(10_000);
  expect(await theirs({ limit })).toEqual({ items: [], next: String(rows) });
  expect(read).toEqual({ rows, pages });
});

test("what is theirs is found behind many rows of others, page by page", async () => {
  const { theirs } = store(4_321);
  const found: number[] = [];
  let cursor: string | undefined = "0";
  while (cursor !== undefined) {
    const { items, next }: { items: readonly number[]; next?: string } = await theirs({ limit: 100, cursor });
    found.push(...items);
    cursor = next;
  }
  expect(found).toEqual([4_320]);
});

test("more than fit are not lost: the next page begins behind the last that fitted", async () => {
  const even = theirPages(store(300).list, (row) => row % 2 === 0);
  const found: number[] = [];
  let cursor: string | undefined = "0";
  while (cursor !== undefined) {
    const { items, next }: { items: readonly number[]; next?: string } = await even({ limit: 7, cursor });
    expect(items.length).toBeLessThanOrEqual(7);
    found.push(...items);
    cursor = next;
  }
  expect(found).toEqual(Array.from({ length: 150 }, (_, at) => 2 * at));
});

test("a page that the store cut short is all that a project's costs, and its cursor leads on", async () => {
  const { read, list } = store(10_000);
  const cutShort = ({ limit, ...page }: Page) => list({ ...page, limit: Math.min(limit, 40) });
  const theirs = theirPages(cutShort, (row) => row === 9_999);
  expect(await theirs({ limit: 10 })).toEqual({ items: [], next: "40" });
  expect(read.pages).toBe(1);
  const all = theirPages(cutShort, (row) => row === 9_999, UNBOUND);
  expect(await all({ limit: 10 })).toEqual({ items: [9_999] });
});

test("an operator's own page has no bound", async () => {
  const { list } = store(10_000);
  const all = theirPages(list, (row) => row === 9_999, UNBOUND);
  expect(await all({ limit: 10 })).toEqual({ items: [9_999] });
});
