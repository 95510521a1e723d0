import { describe, expect, test } from "vitest";
import { fakeClock } from "../../testing/fake-clock.ts";
import { FIRST_ANSWER_FACTOR, LOOKS, watch } from "./watch.ts";

const HUNG_MS = 10_000;
const LOOK_MS = HUNG_MS / LOOKS;

function watched({ answers = true, debugged = false } = {}) {
  const seen = { asked: 0, hung: 0, silentMs: 0 };
  const clock = fakeClock();
  const watching = watch({
    hungMs: HUNG_MS,
    clock,
    ask: () => {
      seen.asked += 1;
    },
    onHung: (silentMs) => {
      seen.hung += 1;
      seen.silentMs = silentMs;
    },
  });
  if (answers) watching.heard({ debugged });
  return { seen, clock, watching };
}

describe("a process that answered", () => {
  test("and then no more is hung after the time, and not before", async () => {
    const { seen, clock } = watched();
    // The answer was to the previous look.
    await clock.advance(LOOK_MS + HUNG_MS - 1);
    expect(seen.hung).toBe(0);
    await clock.advance(1);
    expect(seen.hung).toBe(1);
    const { asked } = seen;
    await clock.advance(10 * HUNG_MS);
    expect(seen).toEqual({ asked, hung: 1, silentMs: HUNG_MS });
  });

  test("and answers at the last moment is well", async () => {
    const { seen, clock, watching } = watched();
    await clock.advance(LOOK_MS);
    for (let round = 1; round <= 5; round += 1) {
      await clock.advance(HUNG_MS - 1);
      watching.heard({ debugged: false });
      await clock.advance(1);
    }
    expect(seen.hung).toBe(0);
  });

  test("may miss a question: it is asked at every look", async () => {
    const { seen, clock } = watched();
    await clock.advance(5 * LOOK_MS);
    expect(seen.asked).toBe(6);
  });

  test("and stands at a breakpoint may stand there, and is watched again when it went on", async () => {
    const { seen, clock, watching } = watched({ debugged: true });
    await clock.advance(100 * HUNG_MS);
    expect(seen.hung).toBe(0);
    watching.heard({ debugged: false });
    await clock.advance(LOOK_MS + HUNG_MS);
    expect(seen.hung).toBe(1);
  });
});

test("the first answer may take six times as long", async () => {
  const { seen, clock } = watched({ answers: false });
  await clock.advance(FIRST_ANSWER_FACTOR * HUNG_MS - 1);
  expect(seen.hung).toBe(0);
  await clock.advance(1);
  expect(seen).toMatchObject({ hung: 1, silentMs: FIRST_ANSWER_FACTOR * HUNG_MS });
});

test("however late a look comes, it is one look: the watcher may have been frozen as well", () => {
  const looks: (() => void)[] = [];
  const clock = {
    after: (_ms: number, run: () => void) => {
      looks.push(run);
      return () => {};
    },
  };
  const seen: string[] = [];
  const watching = watch({
    hungMs: HUNG_MS,
    clock,
    ask: () => void seen.push("asked"),
    onHung: () => void seen.push("hung"),
  });
  for (let suspensions = 0; suspensions < 50; suspensions += 1) {
    looks.shift()!();
    // An answer from before the suspension is read only after the look.
    watching.heard({ debugged: false });
    looks.shift()!();
  }
  expect(seen).not.toContain("hung");
});

test("no question is asked after the end", async () => {
  const { seen, clock, watching } = watched();
  watching.stop();
  await clock.advance(10 * HUNG_MS);
  expect(seen).toMatchObject({ asked: 1, hung: 0 });
});
