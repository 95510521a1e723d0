import { writeSync } from "node:fs";

/** How long the reader of a pipe may take until it has made room. */
const PATIENCE_MS = 500;
const LOOK_MS = 5;

const asleep = new Int32Array(new SharedArrayBuffer(4));

/**
 * Writes where no event loop will turn again, because it is blocked or the process ends. A reader that makes
 * no room is waited for, but not for ever. False if the text did not get out.
 */
export function writeNow(fd: number, text: string): boolean {
  let left: Uint8Array = Buffer.from(text);
  for (let waitedMs = 0; left.length > 0; ) {
    try {
      left = left.subarray(writeSync(fd, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || waitedMs >= PATIENCE_MS) return false;
      Atomics.wait(asleep, 0, 0, LOOK_MS);
      waitedMs += LOOK_MS;
    }
  }
  return true;
}
