const EMPTY = Buffer.alloc(0);
const BLOCK_BYTES = 4_096;
/** Pieces of this size are kept as they are; smaller ones are put together. */
const PIECE_BYTES_MIN = 1_024;
/** Pieces that may be of any size. Beyond this number they have to be `CRUMB_BYTES` each, on average. */
const PIECES_MAX = 1_000;
const CRUMB_BYTES = 128;

/**
 * A body as it comes. A caller that sends it a byte at a time would make us hold a hundred times its size in
 * pieces, so small pieces are put together. It grows with what came, never with what was announced.
 */
export class BodyBytes {
  readonly #bytesMax: number;
  readonly #blocks: Uint8Array[] = [];
  #tail: Uint8Array = EMPTY;
  #tailUsed = 0;
  #pieces = 0;
  #size = 0;
  #held = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Bytes of memory: more than came where a piece is part of a larger buffer, or where room for more is held.
   */
  get held(): number {
    return this.#held;
  }

  /**
   * Why no more is to be added; undefined while all is well. A body in crumbs is too slow, however fast they
   * come.
   */
  add(piece: Uint8Array): "too-large" | "too-slow" | undefined {
    this.#size += piece.length;
    this.#pieces += 1;
    if (this.#size > this.#bytesMax) return "too-large";
    if (this.#pieces > PIECES_MAX && this.#size < this.#pieces * CRUMB_BYTES) return "too-slow";
    // Nearly every body comes in one piece, which needs no copy.
    if (this.#pieces === 1 || piece.length >= PIECE_BYTES_MIN) this.#keep(piece);
    else this.#copy(piece);
    return undefined;
  }

  whole(): Buffer {
    this.#seal();
    const [only] = this.#blocks;
    return only instanceof Buffer && this.#blocks.length === 1 ? only : Buffer.concat(this.#blocks);
  }

  /** For the owner of the pieces. The body may not be used afterwards. */
  free(): void {
    for (const block of this.#blocks.splice(0)) free(block);
  }

  #keep(piece: Uint8Array): void {
    this.#seal();
    this.#blocks.push(piece);
    this.#held += piece.buffer.byteLength;
  }

  #copy(piece: Uint8Array): void {
    if (this.#tailUsed + piece.length > this.#tail.length) {
      this.#seal();
      this.#tail = new Uint8Array(BLOCK_BYTES);
      this.#held += BLOCK_BYTES;
    }
    this.#tail.set(piece, this.#tailUsed);
    this.#tailUsed += piece.length;
  }

  /** What was put together so far becomes a block; the rest of its memory takes the next pieces. */
  #seal(): void {
    if (this.#tailUsed === 0) return;
    this.#blocks.push(this.#tail.subarray(0, this.#tailUsed));
    this.#tail = this.#tail.subarray(this.#tailUsed);
    this.#tailUsed = 0;
  }
}

/**
 * Frees memory at once: otherwise tens of megabytes of refused bodies would wait for the garbage collector.
 */
export function free({ buffer, length }: Uint8Array): void {
  // Not a part of a larger buffer, not one that is free already, not one too small to be worth it.
  if (length >= PIECE_BYTES_MIN && buffer instanceof ArrayBuffer && buffer.byteLength === length)
    buffer.transfer(0);
}
