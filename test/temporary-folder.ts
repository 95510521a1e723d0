import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Every run has a temporary folder of its own, and removes it at its end, with what failed tests did not
 * remove, what killed processes left, and what others put there (CDK never removes what it synthesised).
 */
export default function temporaryFolder(): () => void {
  const { TMPDIR: before } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "lull-tests-"));
  // Some tests run a program as another user, who has to reach what lies in it.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true });
  };
}
