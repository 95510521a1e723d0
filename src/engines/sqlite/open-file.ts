import { statSync } from "node:fs";

/** The file itself, and what SQLite keeps beside it while it is open. Without any of them a commit is in nobody's database. */
const ENDINGS = ["", "-wal", "-shm"] as const;
type Ending = (typeof ENDINGS)[number];

/** A database's files as they were when they were opened. A path may come to name another file, or none. */
export class OpenFile {
  readonly #path: string;
  readonly #opened: ReadonlyMap<Ending, string | undefined>;

  constructor(path: string) {
    this.#path = path;
    this.#opened = new Map(ENDINGS.map((ending) => [ending, fileAt(path + ending)]));
  }

  /** What is no longer as it was opened, and what to do about it. Undefined while all is. */
  trouble(): string | undefined {
    if (this.#path === ":memory:") return undefined;
    const changed = ENDINGS.find((ending) => fileAt(this.#path + ending) !== this.#opened.get(ending));
    if (changed === undefined) return undefined;
    const name = `${this.#path}${changed}`;
    if (changed !== "") return `${name} was removed or replaced while it was in use: restart lull`;
    if (fileAt(name) === undefined)
      return `${name} is gone: put it back, or stop lull, restore a backup, and start it again`;
    return `${name} was replaced while it was in use: stop lull, move ${name}-wal and ${name}-shm away, and start it again`;
  }

  /**
   * Whether another file is there that may be opened in its place. Not while the log of ours lies beside it: SQLite would take that
   * for the other file's, and write it in.
   */
  isReplaced(): boolean {
    const [now, ...besides] = ENDINGS.map((ending) => fileAt(this.#path + ending));
    const ours = [...this.#opened.values()];
    return (
      now !== undefined &&
      now !== ours[0] &&
      !besides.some((each) => each !== undefined && ours.includes(each))
    );
  }
}

/** Which file a path names: device and number, or none. */
export function fileAt(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}/${found.ino}`;
}
