import { describe, expect, test } from "vitest";
import { BodyBytes, free } from "./body-bytes.ts";

const piece = (length: number, fill = 1) => new Uint8Array(length).fill(fill);

describe("a body", () => {
  test("that comes in one piece is that piece", () => {
    const bytes = new BodyBytes(10);
    const only = Buffer.from(piece(10));
    expect(bytes.add(only)).toBeUndefined();
    expect(bytes.whole()).toBe(only);
  });

  test("that never came is empty", () => {
    expect(new BodyBytes(10).whole().length).toBe(0);
  });

  test.each([
    [[1, 1, 1]],
    [[5_000, 1, 1, 5_000]],
    [[1, 2_000, 1, 2_000, 1]],
    [[1_023, 1_024, 1_023, 3_000, 900]],
  ])("of pieces of %j bytes is whole and in order", (lengths) => {
    const bytes = new BodyBytes(1_000_000);
    const pieces = lengths.map((length, n) => piece(length, n + 1));
    for (const each of pieces) expect(bytes.add(each)).toBeUndefined();
    expect(bytes.whole()).toEqual(Buffer.concat(pieces));
    expect(bytes.size).toBe(lengths.reduce((a, b) => a + b));
  });

  test("may have as much as it may, and not a byte more", () => {
    const bytes = new BodyBytes(10);
    expect(bytes.add(piece(10))).toBeUndefined();
    expect(bytes.add(piece(1))).toBe("too-large");
  });

  test("in small pieces holds hardly more memory than it has bytes", () => {
    const bytes = new BodyBytes(1_000_000);
    for (let n = 0; n < 5_000; n += 1) bytes.add(piece(200));
    expect([bytes.size, bytes.held < 1_030_000]).toEqual([1_000_000, true]);
  });

  test("says what it holds of something larger", () => {
    const bytes = new BodyBytes(10);
    bytes.add(piece(65_536).subarray(0, 5));
    expect(bytes.held).toBe(65_536);
  });

  test("may come in a thousand crumbs, and no more", () => {
    const bytes = new BodyBytes(1_000_000);
    for (let n = 0; n < 1_000; n += 1) expect(bytes.add(piece(1))).toBeUndefined();
    expect(bytes.add(piece(1))).toBe("too-slow");
  });

  test("may come in any number of pieces that are no crumbs", () => {
    const bytes = new BodyBytes(1_000_000);
    for (let n = 0; n < 7_000; n += 1) expect(bytes.add(piece(128))).toBeUndefined();
  });

  test("gives its memory back at once", () => {
    const bytes = new BodyBytes(1_000_000);
    const pieces = [piece(1_024), piece(5_000)];
    for (const each of pieces) bytes.add(each);
    bytes.free();
    expect(pieces.map(({ length }) => length)).toEqual([0, 0]);
  });
});

test("memory that is shared with others, or free already, is left alone", () => {
  const whole = piece(5_000);
  free(whole.subarray(0, 4_000));
  expect(whole.length).toBe(5_000);
  free(whole);
  free(whole);
  expect(whole.length).toBe(0);
});
