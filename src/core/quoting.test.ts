import { describe, expect, it } from "vitest";
import { HUNG_MS } from "./defaults.ts";
import { quotes } from "./quoting.ts";

const SAID = ["My card is 4000 1234, please help!", "+15550101", "Anna"];

describe("a reason quotes what was said", () => {
  it.each([
    ["whole", "cannot parse: My card is 4000 1234, please help!"],
    ["cut", 'Unexpected token "My card is 40"... is not valid JSON'],
    ["escaped", 'body: {\\"text\\":\\"My card is 4000'],
    ["in capitals", "MY CARD IS 4000 IS NO ORDER"],
    ["in ten letters of its middle", "what is card is 4000"],
    ["an address", "no route to 15550101"],
    ["a short one", "who is ANNA?"],
  ])("%s", (_, reason) => expect(quotes(reason, SAID)).toBe(true));

  it.each([
    ["OPENAI_UNAVAILABLE: OpenAI answered 503 (server_error)", SAID],
    ["nine letters: ard is 4000", ["ard is 40001234"]],
    ["no such file", ["no"]],
    ["which is it", ["hi", "", "…"]],
  ])("not: %s", (reason, said) => expect(quotes(reason, said)).toBe(false));
});

it("an error about a megabyte is looked through quickly, up to the limit", () => {
  const long = `${"x".repeat(99_980)}my secret is safe`;
  expect(quotes("what my secret is", [long])).toBe(true);
  expect(quotes("mysecretissafe", [`${"x".repeat(100_000)}my secret is safe`])).toBe(false);
});

it("so is one whose own text is as long: the cost is the sum of both lengths, not their product", {
  // Half a second, or half a minute.
  timeout: HUNG_MS,
}, () => {
  const [reason, said] = [lettersFrom(7, 200_000), lettersFrom(11, 100_000)];
  expect(quotes(reason, [said])).toBe(false);
  expect(quotes(reason, [said.slice(20) + reason.slice(50_000, 50_010)])).toBe(true);
});

/** Letters without a pattern, the same each time. */
function lettersFrom(seed: number, count: number): string {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return String.fromCharCode(97 + (state % 26));
  }).join("");
}
