import { writeSync } from "node:fs";
import type { LineTarget } from "./line-writer.ts";

/**
 * A file that the log is redirected to. Node takes a write to one for whole, even if a disk that is almost
 * full took only the beginning of it: here the rest is asked for, and what cannot be written is told.
 */
export function fileTarget(fd: number): LineTarget {
  let isTorn = false;
  return {
    writableLength: 0,
    write(text, onTaken) {
      // Whatever the disk takes after half a line is not to be read as the rest of it.
      const left = writtenUpTo(fd, Buffer.from(isTorn ? `\n${text}` : text));
      isTorn = left.isTorn || (isTorn && left.error !== undefined);
      process.nextTick(onTaken, left.error);
    },
  };
}

function writtenUpTo(fd: number, bytes: Uint8Array): { isTorn: boolean; error: Error | undefined } {
  let done = 0;
  try {
    while (done < bytes.length) done += writeSync(fd, bytes, done);
    return { isTorn: false, error: undefined };
  } catch (error) {
    return { isTorn: done > 0, error: error as Error };
  }
}
