import { beforeEach, expect, test } from "vitest";
import { type FakeClock, fakeClock } from "../testing/fake-clock.ts";
import { ANSWER_BYTES_PER_SECOND_MIN, ANSWER_PATIENCE_MS, ANSWERS_BYTES_MAX } from "./defaults.ts";
import { SlowAnswers } from "./slow-answers.ts";

let clock: FakeClock;
let answers: SlowAnswers;
let dropped: string[];
beforeEach(() => {
  clock = fakeClock();
  answers = new SlowAnswers(clock);
  dropped = [];
});

function add(name: string, bytes: number | (() => number), party?: string): () => void {
  const left = typeof bytes === "number" ? () => bytes : bytes;
  return answers.add(left, () => dropped.push(name), party);
}

test("what has been read of an answer frees its room", () => {
  let left = ANSWERS_BYTES_MAX;
  const out = add("read", () => left);
  left = 1;
  add("b", ANSWERS_BYTES_MAX - 1);
  expect(dropped).toEqual([]);
  add("c", 1);
  expect(dropped).toEqual(["read"]);
  out();
  add("d", 0);
  expect(dropped).toEqual(["read"]);
});

test("together they hold so much, and then the oldest goes", () => {
  add("a", 1);
  add("b", ANSWERS_BYTES_MAX - 2);
  add("c", 1);
  expect(dropped).toEqual([]);
  add("d", 1);
  expect(dropped).toEqual(["a"]);
  add("e", 1);
  expect(dropped).toEqual(["a", "b"]);
});

test("what is out leaves its room, once", () => {
  const out = add("a", ANSWERS_BYTES_MAX);
  out();
  out();
  add("b", ANSWERS_BYTES_MAX);
  expect(dropped).toEqual([]);
  add("c", 1);
  expect(dropped).toEqual(["b"]);
});

test("one that is larger than all of them may be is taken, and makes room for the next", () => {
  add("a", 1);
  add("large", ANSWERS_BYTES_MAX + 1);
  expect(dropped).toEqual(["a"]);
  add("b", 1);
  expect(dropped).toEqual(["a", "large"]);
});

test("each has a while, and the time that its bytes take on a slow line", async () => {
  add("large", 10 * ANSWER_BYTES_PER_SECOND_MIN);
  add("small", 0);
  await clock.advance(ANSWER_PATIENCE_MS - 1);
  expect(dropped).toEqual([]);
  await clock.advance(1);
  expect(dropped).toEqual(["small"]);
  await clock.advance(9_999);
  expect(dropped).toEqual(["small"]);
  await clock.advance(1);
  expect(dropped).toEqual(["small", "large"]);
});

test("what is out is not dropped, and the next one is looked after again", async () => {
  add("a", 1)();
  await clock.advance(60_000);
  expect(dropped).toEqual([]);
  add("b", 1);
  await clock.advance(60_000);
  expect(dropped).toEqual(["b"]);
});

test("of several parties, the one that holds most loses its oldest, and no other's is dropped", () => {
  add("b1", ANSWERS_BYTES_MAX / 8, "beta");
  for (const name of ["a1", "a2"]) add(name, ANSWERS_BYTES_MAX / 3, "acme");
  expect(dropped).toEqual([]);
  add("a3", ANSWERS_BYTES_MAX / 3, "acme");
  expect(dropped).toEqual(["a1"]);
  add("b2", ANSWERS_BYTES_MAX / 3, "beta");
  expect(dropped).toEqual(["a1", "a2"]);
});
