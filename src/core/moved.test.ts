import { expect, it } from "vitest";
import { type Said, twinsAmong } from "./moved.ts";

const AT = 1_767_225_600_000;
const MINUTE = 60_000;

const said = (text: string, sentAtMs?: number, ...urls: string[]): Said => ({
  text,
  media: urls.map((url) => ({ url, contentType: "image/jpeg" })),
  ...(sentAtMs !== undefined && { sentAtMs }),
});
const moved = (text: string, sentAtMs?: number, ...urls: string[]) => ({
  ...said(text, sentAtMs, ...urls),
  arrivedAtMs: AT + 30 * MINUTE,
});

const twins = (listed: readonly Said[], ...others: ReturnType<typeof moved>[]) => [
  ...twinsAmong(listed, others),
];

it("a listed message is the moved one that says the same at nearly the same time", () => {
  expect(twins([said("Hola", AT + 3_000)], moved("Adiós", AT), moved("Hola", AT))).toEqual([[0, 1]]);
  expect(twins([said(" ¿Hay\nmesa? ", AT)], moved("¿Hay mesa?", AT))).toEqual([[0, 0]]);
  expect(twins([said("se\u00f1or", AT)], moved("sen\u0303or", AT))).toEqual([[0, 0]]);
});

it("ten minutes are nearly the same time, and more are not, whichever clock is ahead", () => {
  for (const apart of [10 * MINUTE, -10 * MINUTE]) {
    expect(twins([said("ok", AT + apart)], moved("ok", AT))).toHaveLength(1);
    expect(twins([said("ok", AT + apart + Math.sign(apart))], moved("ok", AT))).toEqual([]);
  }
});

it("a moved message is the twin of one: the nearest", () => {
  const listed = [said("ok", AT + 5 * MINUTE), said("ok", AT + 1_000), said("ok", AT + MINUTE)];
  expect(twins(listed, moved("ok", AT))).toEqual([[1, 0]]);
  expect(twins(listed, moved("ok", AT), moved("ok", AT + 55_000))).toEqual([
    [1, 0],
    [2, 1],
  ]);
});

it("other words are another message", () => {
  expect(twins([said("Hola", AT)], moved("Hola.", AT), moved("", AT, "https://a.example/1"))).toEqual([]);
});

it("files are told by their URL, else by their time alone, after those that say the same", () => {
  const [one, two] = ["https://a.example/1", "https://a.example/2"];
  expect(twins([said("", AT, two)], moved("", AT, one), moved("", AT + MINUTE, two))).toEqual([[0, 1]]);
  expect(twins([said("", AT, one)], moved("[audio: a.ogg]", AT))).toEqual([[0, 0]]);
  expect(twins([said("", AT)], moved("what was heard", AT))).toEqual([[0, 0]]);
  const listed = [said("", AT, one), said("Hola", AT + MINUTE)];
  expect(twins(listed, moved("Hola", AT))).toEqual([[1, 0]]);
});

it("one that was moved without a time may be of any before the move", () => {
  for (const early of [AT - 9_000 * MINUTE, AT + 40 * MINUTE, undefined])
    expect(twins([said("ok", early)], moved("ok"))).toHaveLength(1);
  expect(twins([said("ok", AT + 40 * MINUTE + 1)], moved("ok"))).toEqual([]);
});
