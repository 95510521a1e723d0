import { realpathSync, statSync } from "node:fs";

/** The file itself, and what SQLite keeps beside it while open. If one is missing, a commit is lost. */
const ENDINGS = ["", "-wal", "-shm"] as const;
type Ending = (typeof ENDINGS)[number];

/** A database's files as they were when they were opened. A path may come to name another file, or none. */
export class OpenFile {
  readonly #path: string;
  /** Where a link leads to: SQLite keeps its other files there. */
  readonly #beside: string;
  readonly #opened: ReadonlyMap<Ending, string | undefined>;

  constructor(path: string) {
    this.#path = path;
    this.#beside = statSync(path, { throwIfNoEntry: false }) ? realpathSync(path) : path;
    this.#opened = new Map(ENDINGS.map((ending) => [ending, fileAt(this.#at(ending))]));
  }

  #at(ending: Ending): string {
    return ending === "" ? this.#path : this.#beside + ending;
  }

  /** What is no longer as it was opened, and what to do about it. Undefined while all is. */
  trouble(): string | undefined {
    if (this.#path === ":memory:") return undefined;
    const changed = ENDINGS.find((ending) => fileAt(this.#at(ending)) !== this.#opened.get(ending));
    if (changed === undefined) return undefined;
    const name = this.#at(changed);
    if (changed !== "") return `${name} was removed or replaced while it was in use: restart lull`;
    const left = this.#left().join(" and ");
    if (fileAt(name) === undefined) {
      const first = left === "" ? "" : ` move ${left} away,`;
      return `${name} is gone: put it back, or stop lull,${first} restore a backup, and start it again`;
    }
    const replaced = `${name} was replaced while it was in use`;
    return left === ""
      ? `${replaced}: the next sweep looks at it, and opens it if it is the same database`
      : `${replaced}: stop lull, move ${left} away, and start it again`;
  }

  /**
   * Whether another file is there that may be opened instead. Not while our log lies beside it: SQLite would
   * take it for the other file's, and write it in.
   */
  isReplaced(): boolean {
    const now = fileAt(this.#path);
    return now !== undefined && now !== this.#opened.get("") && this.#left().length === 0;
  }

  /**
   * Files beside the path that belong to the file that we opened. A log of another file belongs to that one,
   * with what was acknowledged there.
   */
  #left(): string[] {
    const ours = [...this.#opened.values()];
    return ENDINGS.slice(1)
      .map((ending) => this.#at(ending))
      .filter((path) => {
        const found = fileAt(path);
        return found !== undefined && ours.includes(found);
      });
  }
}

/** Which file a path names, by device and inode; undefined if none. */
export function fileAt(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}/${found.ino}`;
}
