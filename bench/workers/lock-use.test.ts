import { expect, test } from "vitest";
import { lockUseIn } from "./lock-use.ts";

const line = (thread: string, atMs: number, commits: number, heldMs: number, waitedMs: number) =>
  `${JSON.stringify({ thread, atMs, commits, heldMs, waitedMs })}\n`;

test("what two workers held of the lock is added up; what they waited is a worker's share", () => {
  const lines = [
    // Before the load, as the parent's.
    line("parent", 900, 3, 5, 0),
    ...[line("one", 1_000, 10, 50, 0), line("two", 1_000, 10, 50, 0)],
    ...[line("one", 3_000, 210, 1_050, 400), line("two", 3_000, 110, 850, 800)],
    // Turns run by then.
    line("one", 9_000, 9_000, 9_000, 9_000),
  ];
  const { commitsPerSecond, heldShare, waitedShare } = lockUseIn(lines.join(""), 1_000, 4_000);
  expect(commitsPerSecond).toBeCloseTo(150);
  expect(heldShare).toBeCloseTo(0.9);
  expect(waitedShare).toBeCloseTo(0.3);
});
