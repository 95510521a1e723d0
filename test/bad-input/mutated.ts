import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";

/** Real payloads of a channel, as its own tests use them. */
export function payloadsOf(channel: "twilio" | "wati" | "web"): readonly Buffer[] {
  const folder = new URL(`../../src/channels/${channel}/payloads/`, import.meta.url);
  return readdirSync(folder)
    .sort()
    .map((name) => readFileSync(new URL(name, folder)));
}

interface Edit {
  readonly kind: "flip" | "insert" | "delete" | "repeat" | "truncate";
  /** Taken modulo the length, so that every number is a place. */
  readonly at: number;
  readonly length: number;
  readonly bytes: Uint8Array;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom("flip", "insert", "delete", "repeat", "truncate"),
  at: fc.nat(1_000_000),
  length: fc.integer({ min: 1, max: 40 }),
  bytes: fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 8 }),
    fc
      .constantFrom(
        "\0",
        '"',
        "\\",
        "\\u0000",
        "\\ud800",
        "}",
        "]]]]",
        "&",
        "=",
        "%",
        "%00",
        "%ff",
        "+",
        "1e999",
      )
      .map((text) => Uint8Array.from(Buffer.from(text))),
  ),
});

/** What begins as a real payload and is then damaged here and there; no edit at all is the payload itself. */
export function mutated(payloads: readonly Buffer[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...payloads), fc.array(edit, { maxLength: 6 }))
    .map(([payload, edits]) => legible(edits.reduce(apply, Buffer.from(payload))));
}

/** Mutations, and bytes that were never a payload. */
export function hostile(payloads: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const raw = fc.uint8Array({ maxLength: 300 }).map((bytes) => legible(Buffer.from(bytes)));
  return fc.oneof({ weight: 4, arbitrary: mutated(payloads) }, { weight: 1, arbitrary: raw });
}

/** Shown as text when a property fails, rather than as a list of numbers. */
export function legible(body: Buffer): Buffer {
  const value = () => `Buffer.from(${JSON.stringify(body.toString("latin1"))}, "latin1")`;
  return Object.defineProperty(body, fc.toStringMethod, { value });
}

function apply(body: Buffer, { kind, at, length, bytes }: Edit): Buffer {
  const place = body.length === 0 ? 0 : at % body.length;
  const [before, after] = [body.subarray(0, place), body.subarray(place)];
  switch (kind) {
    case "flip": {
      const flipped = Buffer.from(body);
      if (flipped.length > 0) flipped[place] = (flipped[place] as number) ^ (1 << (length % 8));
      return flipped;
    }
    case "insert":
      return Buffer.concat([before, bytes, after]);
    case "delete":
      return Buffer.concat([before, after.subarray(length)]);
    case "repeat":
      return Buffer.concat([before, after.subarray(0, length), after]);
    case "truncate":
      return before;
  }
}
