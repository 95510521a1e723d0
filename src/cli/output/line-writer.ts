/** `process.stderr`, say. */
export interface LineTarget {
  /** What its reader has not taken yet. */
  readonly writableLength: number;
  /** `onTaken` is called later, with an error if it was not taken, or not whole. */
  write(text: string, onTaken: (error?: Error | null) => void): unknown;
}

export interface LineWriterOptions {
  readonly target: LineTarget;
  /** At the end of the process, when `target` no longer gets to it. False if the text did not get out. */
  readonly writeNow: (text: string) => boolean;
  readonly unreadLengthMax?: number;
}

/** The line that says how many lines were left out. */
export type LostLine = (lines: number) => string;

/** Beyond this a reader that stands still costs lines of the log, and not the memory of the service. */
const UNREAD_LENGTH_MAX = 4_000_000;

/**
 * A pipe takes this much as a whole or not at all (`PIPE_BUF` of Linux). Of more it may take a part, and a
 * line of another process that shares the pipe may then end up in the middle of ours.
 */
export const WHOLE_BYTES_MAX = 4_096;

/** Whole lines, for one write. */
interface Piece {
  text: string;
  bytes: number;
  /** How many lines are lost with it; those that it says are lost among them. */
  lines: number;
}

/**
 * Lines of one turn of the event loop share a write: a system call for each would hold up webhooks. A write
 * waits for the one before it, since a stream that is given several makes a single one of them, which may be
 * longer than a pipe takes as a whole.
 */
export class LineWriter {
  readonly #target: LineTarget;
  readonly #writeNow: (text: string) => boolean;
  readonly #unreadLengthMax: number;
  readonly #waiting: Piece[] = [];
  #inFlight: Piece | undefined;
  #unread = 0;
  #lost = 0;
  #isFailing = false;
  #lostLine: LostLine = () => "";
  #isScheduled = false;

  constructor({ target, writeNow, unreadLengthMax = UNREAD_LENGTH_MAX }: LineWriterOptions) {
    this.#target = target;
    this.#writeNow = writeNow;
    this.#unreadLengthMax = unreadLengthMax;
  }

  write(line: string, lostLine: LostLine): void {
    this.#lostLine = lostLine;
    // Nothing stands in the way any more, such as a disk that was full: this line is the next try.
    if (this.#lost > 0 && this.#unread === 0) this.#tellLost();
    // One gap rather than many: once lines were left out, room for some more has to be made.
    if (this.#lost > 0 || this.#unread + line.length > this.#unreadLengthMax) {
      this.#lost += 1;
      return;
    }
    this.#append(line, 1);
    if (!this.#isScheduled) setImmediate(() => this.flush());
    this.#isScheduled = true;
  }

  /** What is never left out, such as the message of a command. */
  say(text: string): void {
    this.#append(text, 0);
    this.flush();
  }

  /** As far as the reader takes it now. */
  flush(): void {
    this.#isScheduled = false;
    while (this.#inFlight === undefined) {
      // At once, and not with the next line, for which nothing may be a reason for hours.
      const hasRoom = !this.#isFailing && this.#unread <= this.#unreadLengthMax / 2;
      if (this.#lost > 0 && hasRoom) this.#tellLost();
      const piece = this.#waiting.shift();
      if (piece === undefined) return;
      this.#inFlight = piece;
      this.#target.write(piece.text, (error) => this.#answered(piece, error));
      // As nearly always. The stream itself says so a little later.
      if (this.#target.writableLength === 0) this.#taken(piece);
    }
  }

  /** The process ends: what still waits is written now, or it is told how many lines of it are lost. */
  end(): void {
    const left = this.#inFlight ? [this.#inFlight, ...this.#waiting] : [...this.#waiting];
    this.#inFlight = undefined;
    this.#waiting.length = 0;
    const unwritten = left.findIndex(({ text }) => !this.#writeNow(text));
    if (unwritten >= 0) this.#lost += left.slice(unwritten).reduce((sum, { lines }) => sum + lines, 0);
    if (this.#lost > 0) this.#writeNow(this.#lostLine(this.#lost));
    this.#lost = 0;
  }

  /** A disk that is full takes nothing. It is tried again with the next line, and not without a pause. */
  #answered(piece: Piece, error: Error | null | undefined): void {
    this.#isFailing = Boolean(error);
    if (this.#isFailing) this.#lost += piece.lines;
    const isAwaited = this.#inFlight === piece;
    if (isAwaited) this.#taken(piece);
    if (isAwaited || (this.#lost > 0 && !this.#isFailing)) this.flush();
  }

  #append(text: string, lines: number): void {
    const bytes = Buffer.byteLength(text);
    const last = this.#waiting.at(-1);
    this.#unread += text.length;
    if (last === undefined || last.bytes + bytes > WHOLE_BYTES_MAX)
      this.#waiting.push({ text, bytes, lines });
    else {
      last.text += text;
      last.bytes += bytes;
      last.lines += lines;
    }
  }

  #taken(piece: Piece): void {
    this.#inFlight = undefined;
    this.#unread -= piece.text.length;
  }

  #tellLost(): void {
    const lines = this.#lost;
    this.#lost = 0;
    this.#append(this.#lostLine(lines), lines);
  }
}
