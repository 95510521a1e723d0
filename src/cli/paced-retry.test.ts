import { expect, it } from "vitest";
import type { DeadLetter } from "../model/dead-letter.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { retryPaced } from "./paced-retry.ts";

const clock = fakeClock();
const START_MS = clock.nowMs();

function letter(n: number, atMs = START_MS - 1_000 * n): DeadLetter {
  const content = { messages: [], outbounds: [], replySent: "none" } as const;
  return { id: `d${n}`, conversationId: `c${n}`, reason: "away", attempts: 5, atMs, ...content };
}

const LETTERS = Array.from({ length: 25 }, (_, n) => letter(n));

async function retried(newest: (done: readonly string[]) => readonly DeadLetter[]) {
  const done: string[] = [];
  const steps: number[] = [];
  const at = clock.nowMs();
  const ending = retryPaced(LETTERS, async ({ id }) => void done.push(`${id} ${clock.nowMs() - at}`), {
    ...{ clock, perSecond: 10, onStep: (n: number) => void steps.push(n) },
    newest: async () => newest(done),
  });
  for (let second = 0; second < 4; second += 1) await clock.advance(1_000);
  return { ...(await ending), done, steps };
}

it("retries so many a second, those first that failed first", async () => {
  const { done, steps, deadAgain } = await retried(() => []);
  expect([done[0], done[9], done[10], done[24]]).toEqual(["d24 0", "d15 0", "d14 1000", "d0 2000"]);
  expect(steps).toEqual([10, 20]);
  expect(deadAgain).toBeUndefined();
});

it("gives up where most of them become dead letters again, and says which", async () => {
  const { done, deadAgain } = await retried((ids) =>
    ids.slice(0, 6).map((_, n) => ({ ...letter(24 - n, clock.nowMs()), id: `again${n}` })),
  );
  expect(done).toHaveLength(10);
  expect(deadAgain?.map(({ id }) => id)).toContain("again5");
});

it("goes on beside a few that no try can mend, and beside failures of others", async () => {
  const few = await retried((ids) => ids.slice(0, 4).map((_, n) => letter(24 - n, clock.nowMs())));
  expect(few.done).toHaveLength(25);
  const others = await retried(() => LETTERS.map(({ atMs }, n) => letter(100 + n, atMs + 1e9)));
  expect(others.done).toHaveLength(25);
});
