import fc from "fast-check";

/** Words that mean something to JavaScript, SQL, XML, a shell or a clock. */
const WORDS = [
  "",
  " ",
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "\0",
  "a\0b",
  "\ud800",
  "x\udc00",
  "\u2028",
  "\ufeff",
  "😀👨‍👩‍👧‍👦",
  "e\u0301",
  "' OR 1=1 --",
  "<script>&amp;]]>",
  "../../etc/passwd",
  "%00%ff",
  "true",
  "NaN",
  "-1",
  "1e999",
  "2026-11-15T05:00:00.000Z",
  "+275760-09-13T00:00:00.001Z",
  "http://",
  "https://files.example.com/a.constructor",
  "x".repeat(3_000),
];

/** Numbers as JSON may write them; `JSON.stringify` never would. */
const NUMBERS = [
  "0",
  "-0",
  "1",
  "-1",
  "0.5",
  "1e-320",
  "255",
  "1794718800123",
  "8640000000000000",
  "8640000000000001",
  "9007199254740993",
  "1e21",
  "1e300",
  "1.8e308",
  "1e999",
  "-1e999",
];

export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ unit: "binary", maxLength: 20 }),
  fc.string({ maxLength: 20 }),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((parts) => parts.join("")),
);

const scalar = fc.oneof(
  fc.constantFrom("null", "true", "false", ...NUMBERS),
  nastyText.map((text) => JSON.stringify(text)),
);

/** JSON as text: with numbers too large, keys that come twice, keys that every object inherits. */
export const nastyJson: fc.Arbitrary<string> = fc.letrec<{ value: string; list: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthIdentifier: "json" },
      { weight: 4, arbitrary: scalar },
      { weight: 1, arbitrary: tie("list") },
      { weight: 1, arbitrary: tie("object") },
    ),
    list: fc
      .array(tie("value"), { maxLength: 4, depthIdentifier: "json" })
      .map((items) => `[${items.join()}]`),
    object: fc
      .array(fc.tuple(nastyText, tie("value")), { maxLength: 4, depthIdentifier: "json" })
      .map((entries) => objectText(entries)),
  }),
).value;

/** An object that has most of the named fields, each now good, now anything, and some unknown ones. */
export function nastyObject(
  good: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  goodness = 3,
): fc.Arbitrary<string> {
  const known = Object.entries(good).map(([key, value]) =>
    fc.oneof(
      { weight: goodness, arbitrary: value.map((each) => [[key, JSON.stringify(each) ?? "null"]]) },
      { weight: 1, arbitrary: nastyJson.map((each) => [[key, each]]) },
      { weight: 1, arbitrary: fc.constant([]) },
    ),
  );
  const stranger = fc.tuple(nastyText, nastyJson).map((entry) => [entry]);
  const strangers = fc.oneof(
    { weight: 5, arbitrary: fc.constant<[string, string][][]>([]) },
    { weight: 1, arbitrary: fc.array(stranger, { maxLength: 2 }) },
  );
  return fc
    .tuple(fc.tuple(...known), strangers)
    .map(([own, others]) => objectText([...own, ...others].flat() as [string, string][]));
}

function objectText(entries: readonly (readonly [string, string])[]): string {
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
}

/** Valid JSON that only an iterative reader survives. */
export function deepJson(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}
