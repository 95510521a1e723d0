import { expect, it } from "vitest";
import { answerText } from "./answer-text.ts";

async function* inPieces(text: string, size: number, onEnd = () => {}): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  try {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  } finally {
    onEnd();
  }
}

it("an answer is read whole up to its limit, however it is cut on the way", async () => {
  expect(await answerText(inPieces("größer ✓", 1), 12)).toBe("größer ✓");
  expect(await answerText(inPieces("", 1), 0)).toBe("");
  expect(await answerText(null)).toBe("");
});

it("one byte more is no answer, and its sender is stopped", async () => {
  let ended = 0;
  const stop = () => {
    ended += 1;
  };
  expect(await answerText(inPieces("größer ✓!", 1, stop), 12)).toBeUndefined();
  expect(ended).toBe(1);
});
