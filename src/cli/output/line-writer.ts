/** `process.stderr`, say. */
interface LineTarget {
  /** What its reader has not taken yet. */
  readonly writableLength: number;
  write(text: string): unknown;
}

export interface LineWriter {
  /** False if the line was left out. */
  write(line: string): boolean;
  /** Now: the process ends. */
  flush(): void;
}

/** Beyond this a reader that stands still costs lines of the log, and not the memory of the service. */
const UNREAD_LENGTH_MAX = 4_000_000;

/** The lines of one turn of the event loop are one write: a system call for each would hold up webhooks. */
export function lineWriter(target: LineTarget, unreadLengthMax = UNREAD_LENGTH_MAX): LineWriter {
  let waiting = "";
  const flush = () => {
    const text = waiting;
    waiting = "";
    if (text !== "") target.write(text);
  };
  return {
    write(line) {
      if (waiting.length + target.writableLength > unreadLengthMax) return false;
      if (waiting === "") setImmediate(flush);
      waiting += line;
      return true;
    },
    flush,
  };
}
