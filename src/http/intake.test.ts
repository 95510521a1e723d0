import { beforeEach, describe, expect, test } from "vitest";
import { SMALL_BODY_BYTES_MAX } from "../core/defaults.ts";
import { type FakeClock, fakeClock } from "../testing/fake-clock.ts";
import { OPEN_BODY_BYTES } from "./defaults.ts";
import { Intake, Reading } from "./intake.ts";

let clock: FakeClock;
let ended: string[];
beforeEach(() => {
  clock = fakeClock();
  ended = [];
});

function intakeOf(bytesMax: number, timeoutMs = 20_000): Intake {
  return new Intake({ bytesMax, timeoutMs, clock });
}

/** A body that says when it is given up. */
function begin(intake: Intake, name: string, bytes = 0): Reading {
  const reading = new Reading(intake);
  reading.begin((why) => ended.push(`${name} ${why}`));
  if (bytes > 0) reading.grew(bytes, bytes);
  return reading;
}

describe("when several parties share the room", () => {
  const BODY = 1_000;
  const shared = (bodies: number) =>
    new Intake({
      bytesMax: bodies * (OPEN_BODY_BYTES + BODY),
      bytesMin: OPEN_BODY_BYTES + BODY,
      timeoutMs: 20_000,
      clock,
    });
  const beginOf = (intake: Intake, party: string, name: string) => {
    const reading = new Reading(intake, party);
    reading.begin((why) => ended.push(`${name} ${why}`));
    reading.grew(BODY, BODY);
    return reading;
  };

  test("one may hold as much as it leaves free, and then makes room for its own", () => {
    const intake = shared(4);
    beginOf(intake, "beta", "b1");
    beginOf(intake, "acme", "a1");
    expect(ended).toEqual([]);
    beginOf(intake, "acme", "a2");
    expect(ended).toEqual(["a1 crowded-out"]);
    beginOf(intake, "acme", "a3");
    expect(ended).toEqual(["a1 crowded-out", "a2 crowded-out"]);
  });

  test("one with a single body has room for it, however much another holds", () => {
    const intake = shared(4);
    for (const name of ["a1", "a2"]) beginOf(intake, "acme", name).whole();
    beginOf(intake, "beta", "b1");
    beginOf(intake, "gamma", "g1");
    expect(ended).toEqual([]);
  });

  test("where all is held, who holds most makes room", () => {
    const intake = shared(3);
    beginOf(intake, "acme", "a1").whole();
    beginOf(intake, "beta", "b1");
    beginOf(intake, "gamma", "g1");
    beginOf(intake, "delta", "d1");
    expect(ended).toEqual(["b1 crowded-out"]);
  });
});

describe("when bodies hold all that they may", () => {
  const room = (bodies: number, bytes: number) => bodies * (OPEN_BODY_BYTES + bytes);

  test("the oldest makes room for a small one, and one is enough", () => {
    const intake = intakeOf(room(3, 1_000));
    for (const name of ["a", "b", "c"]) begin(intake, name, 1_000);
    expect(ended).toEqual([]);
    begin(intake, "d", 1);
    expect(ended).toEqual(["a crowded-out"]);
  });

  test("a large one is given up itself", () => {
    const intake = intakeOf(room(2, SMALL_BODY_BYTES_MAX));
    begin(intake, "old", SMALL_BODY_BYTES_MAX);
    begin(intake, "large", SMALL_BODY_BYTES_MAX + 1);
    expect(ended).toEqual(["large crowded-out"]);
    begin(intake, "small", SMALL_BODY_BYTES_MAX);
    expect(ended).toEqual(["large crowded-out"]);
  });

  test("what ended leaves its room, once", () => {
    const intake = intakeOf(room(2, 1_000));
    const first = begin(intake, "a", 1_000);
    begin(intake, "b", 1_000);
    first.end();
    first.end();
    begin(intake, "c", 1_000);
    expect(ended).toEqual([]);
    begin(intake, "d", 1_000);
    expect(ended).toEqual(["b crowded-out"]);
  });

  test("what was given up is not heard of again, and what it still says is not counted", async () => {
    const intake = intakeOf(room(1, 1_000));
    const first = begin(intake, "a", 1_000);
    begin(intake, "b", 1_000);
    first.grew(100_000, 100_000);
    await clock.advance(60_000);
    expect(ended).toEqual(["a crowded-out", "b too-slow"]);
  });

  test("those that are whole count with their bytes until they end, once, and are not given up", () => {
    const intake = intakeOf(20_000 + OPEN_BODY_BYTES);
    const whole = ["a", "b"].map((name) => {
      const reading = begin(intake, name, 10_000);
      reading.whole();
      return reading;
    });
    const next = begin(intake, "c");
    expect(ended).toEqual([]);
    next.grew(1, 1);
    expect(ended).toEqual(["c crowded-out"]);
    whole[0]?.end();
    whole[0]?.end();
    begin(intake, "d", 10_000);
    expect(ended).toEqual(["c crowded-out"]);
    begin(intake, "e", 1);
    expect(ended).toEqual(["c crowded-out", "d crowded-out"]);
  });

  test("also those that hold nothing take room: a connection costs something", () => {
    const intake = intakeOf(10 * OPEN_BODY_BYTES);
    for (let n = 0; n < 10; n += 1) begin(intake, `${n}`);
    begin(intake, "last");
    expect(ended).toEqual(["0 crowded-out"]);
  });
});

describe("a body", () => {
  test("from which nothing comes is given up after a few seconds", async () => {
    begin(intakeOf(1_000_000), "a", 500);
    await clock.advance(3_000);
    expect(ended).toEqual([]);
    await clock.advance(2_000);
    expect(ended).toEqual(["a too-slow"]);
  });

  test("that drips is, too", async () => {
    const drip = begin(intakeOf(1_000_000), "a");
    for (let n = 1; n <= 10; n += 1) {
      drip.grew(n * 999, n * 999);
      await clock.advance(1_000);
    }
    expect(ended).toEqual(["a too-slow"]);
  });

  test("that comes, if slowly, may take its time, and not more", async () => {
    const slow = begin(intakeOf(1_000_000, 10_000), "a");
    for (let n = 1; n <= 10; n += 1) {
      slow.grew(n * 1_000, n * 1_000);
      await clock.advance(1_000);
    }
    expect(ended).toEqual([]);
    slow.grew(11_000, 11_000);
    await clock.advance(1_000);
    expect(ended).toEqual(["a too-slow"]);
  });

  test("may be set a time shorter than a second", async () => {
    begin(intakeOf(1_000_000, 100), "a", 10_000);
    await clock.advance(200);
    expect(ended).toEqual(["a too-slow"]);
  });

  test("that is there anyway takes no room", async () => {
    const intake = intakeOf(OPEN_BODY_BYTES + 10);
    expect(await intake.during(async (reading) => reading.givenUp ?? "taken")).toBe("taken");
    begin(intake, "a", 10);
    expect(ended).toEqual([]);
  });

  test("that is whole is never given up, however long its request takes; the next is watched", async () => {
    const intake = intakeOf(1_000_000);
    begin(intake, "a", 10).whole();
    begin(intake, "over", 10).end();
    await clock.advance(60_000);
    expect(ended).toEqual([]);
    begin(intake, "b", 10);
    await clock.advance(60_000);
    expect(ended).toEqual(["b too-slow"]);
  });
});
