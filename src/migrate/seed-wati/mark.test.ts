import { describe, expect, test } from "vitest";
import { seeded } from "../../testing/simulator/random.ts";
import { IDS_MAX, MARK, type Mark, markOf, sortRows, withMoved, withMoving, writtenAs } from "./mark.ts";

const rows = [
  { id: "a", atMs: 1_000 },
  { id: "b", atMs: 5_000 },
];
const NOW = 10_000;
const marked = (mark: Mark) => ({ attributes: { mine: 1, [MARK]: writtenAs(mark) } });

/** The mark of a run that has moved these rows of the file. */
function movedAt(atMs: number, file: typeof rows, ids = file.map(({ id }) => id), mark?: Mark): Mark {
  return withMoved(withMoving(mark, ids, atMs), file, { tried: ids, done: ids });
}

test("everything is free for a customer without a conversation, however old it is", () => {
  expect(sortRows(rows, undefined, 3_000)).toEqual({ before: [], free: ["a", "b"], uncertain: [] });
});

test("what the conversation notes as moved is not moved again, however long ago that was", () => {
  const conversation = marked(movedAt(1, rows, ["a"]));
  expect(sortRows(rows, conversation, NOW)).toEqual({ before: ["a"], free: ["b"], uncertain: [] });
});

test("what was being moved when a run was killed is free while ids tell, and uncertain after", () => {
  const conversation = marked(withMoving(undefined, ["a"], NOW));
  expect(sortRows(rows, conversation, NOW)).toMatchObject({ free: ["a", "b"], uncertain: [] });
  expect(sortRows(rows, conversation, NOW + 1)).toMatchObject({ free: ["b"], uncertain: ["a"] });
});

test("a second run that is killed too does not make it younger", () => {
  const conversation = marked(withMoving(withMoving(undefined, ["a"], 1), ["a", "b"], NOW));
  expect(sortRows(rows, conversation, NOW)).toMatchObject({ free: ["b"], uncertain: ["a"] });
});

test("in a conversation that notes nothing, what is older than the remembered ids is uncertain", () => {
  expect(sortRows(rows, { attributes: {} }, 3_000)).toEqual({ before: [], free: ["b"], uncertain: ["a"] });
});

test("what was refused is free again", () => {
  const mark = withMoving(undefined, ["a", "b"], 1);
  const conversation = marked(withMoved(mark, rows, { tried: ["a", "b"], done: ["a"] }));
  expect(sortRows(rows, conversation, NOW)).toEqual({ before: ["a"], free: ["b"], uncertain: [] });
});

test("a note that another wrote says nothing of what was moved", () => {
  for (const seed_wati of [null, 7, [], "moved"])
    expect(markOf({ attributes: { seed_wati } })).toBeUndefined();
  const odd = { moved: [1, "a"], moving: ["b", { at: {}, ids: [2, "c"] }], folded: 7, since: {} };
  const mark = markOf({ attributes: { seed_wati: odd } });
  expect(mark).toMatchObject({ moved: ["a"], moving: [{ atMs: 0, ids: ["c"] }], sinceMs: 0, throughMs: 0 });
  expect(sortRows(rows, { attributes: { seed_wati: odd } }, NOW)).toEqual({
    before: ["a"],
    free: ["b"],
    uncertain: [],
  });
});

describe("a customer of 15,000 rows", () => {
  const many = Array.from({ length: 15_000 }, (_, n) => ({ id: `row${n}`.padEnd(22, "-"), atMs: 1_000 + n }));
  const mark = movedAt(1, many);
  const ids = (some: typeof many) => some.map(({ id }) => id);

  test("is noted in a few thousand bytes, and none of it is moved again", () => {
    expect(JSON.stringify(writtenAs(mark)).length).toBeLessThan(6_000);
    const { before, free, uncertain } = sortRows(many, marked(mark), NOW);
    expect([before.length, free, uncertain]).toEqual([15_000, [], []]);
  });

  test("what was left before them for its age is new, and they are known all the same", () => {
    const left = [{ id: "left", atMs: 1 }];
    const all = [...left, ...many];
    const moved = movedAt(1, all, ids(many));
    const { before, free, uncertain } = sortRows(all, marked(moved), NOW);
    expect([before.length, free, uncertain]).toEqual([15_000, ["left"], []]);
  });

  test("what the bot wrote since is new, whether or not it has emptied its buffer", () => {
    const more = [
      { id: "later", atMs: 20_000 },
      { id: "latest", atMs: 20_000 },
    ];
    const again = sortRows([...many, ...more], marked(mark), NOW);
    expect([again.before.length, again.free, again.uncertain]).toEqual([15_000, ids(more), []]);
    expect(sortRows(more, marked(mark), NOW)).toEqual({ before: [], free: ids(more), uncertain: [] });
  });

  test("where a part was deleted, ids tell while they are remembered; after that it is uncertain", () => {
    const part = many.slice(7_000);
    const [before, rest] = [ids(part.slice(-IDS_MAX)), ids(part.slice(0, -IDS_MAX))];
    expect(sortRows(part, marked(mark), 1)).toEqual({ before, free: rest, uncertain: [] });
    expect(sortRows(part, marked(mark), 2)).toEqual({ before, free: [], uncertain: rest });
  });

  test("what was accounted for once more is so afterwards, and what came back is uncertain", () => {
    const part = [...many.slice(7_000), { id: "later", atMs: 20_000 }];
    const once = movedAt(2, part, ids(part.filter(({ id }) => !mark.moved.includes(id))), mark);
    const again = sortRows(part, marked(once), NOW);
    expect([again.before.length, again.free, again.uncertain]).toEqual([part.length, [], []]);
    const restored = sortRows(many, marked(once), NOW);
    expect(restored.free).toEqual([]);
  });
});

/** Twelve days of a bot and of runs over its file: what was moved twice, and what was passed over unsaid. */
function faultsOf(seed: number): string[] {
  const random = seeded(seed);
  const [staged, faults] = [new Map<string, number>(), new Set<string>()];
  const past: (typeof rows)[] = [];
  let [mark, file, next]: [Mark | undefined, typeof rows, number] = [undefined, [], 0];
  for (let day = 1; day <= 12; day += 1) {
    // The bot empties its buffer, or a part of it is deleted. A copy may bring back what was there.
    past.push(file);
    if (random.chance(0.3)) file = random.chance(0.5) ? [] : file.filter(() => random.chance(0.7));
    const count = random.between(0, random.chance(0.2) ? 450 : 30);
    const added = Array.from({ length: count }, (_, n) => ({
      id: `r${next + n}`,
      atMs: day * 1_000 + (n >> 3),
    }));
    next += count;
    file = [...(random.chance(0.1) ? past[random.between(0, past.length - 1)]! : file), ...added];
    const nowMs = day * 1_000 + 999;
    const knownSinceMs = nowMs - 3_000;
    const { free, uncertain } = sortRows(file, mark && marked(mark), knownSinceMs);
    mark = withMoving(mark, free, nowMs);
    // Killed in the middle: before anything is staged, after a part of it, or before it is noted.
    const isKilled = random.chance(0.3);
    const reached = isKilled ? free.slice(0, random.between(0, free.length)) : free;
    for (const id of reached) {
      const before = staged.get(id);
      // A remembered id is a duplicate; a forgotten one gets a second turn.
      if (before !== undefined && before < knownSinceMs) faults.add(`${id} twice`);
      if (before === undefined) staged.set(id, nowMs);
    }
    if (!isKilled) mark = withMoved(mark, file, { tried: free, done: free });
    const said = new Set([...free, ...uncertain]);
    for (const { id } of file) if (!staged.has(id) && !said.has(id)) faults.add(`${id} lost`);
  }
  return [...faults];
}

test("whatever the bot and killed runs do: nothing is moved twice, and nothing is passed over unsaid", () => {
  for (let seed = 1; seed <= 200; seed += 1) expect(faultsOf(seed), `seed ${seed}`).toEqual([]);
});
