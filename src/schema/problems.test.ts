import { describe, expect, test } from "vitest";
import { inWords, problemsIn, TO_PEOPLE, TO_PROGRAMS } from "./problems.ts";
import {
  anything,
  component,
  componentsIn,
  either,
  flag,
  type Infer,
  list,
  number,
  object,
  oneOf,
  optional,
  options,
  record,
  type Schema,
  someText,
  text,
  whole,
} from "./schema.ts";

const SECRET: Schema = { type: "secret" };
const URL: Schema = { type: "url" };
const PUBLIC: Schema = { type: "url", credentials: true, withoutWebhooks: true };
const ACCOUNT = object({ token: SECRET, from: either(text(), list(text())) });

describe("people are told what a value must be, and shown what they wrote", () => {
  test.each<[unknown, Schema, string]>([
    [7, text(), "x must be a text, not 7"],
    [null, text(), "x must be a text, not null"],
    ["", someText(), "x must not be empty"],
    ["  ", someText(), "x must not be empty"],
    ["four", someText("", 3), "x must have 3 characters at most"],
    ["\ud800", text(), "x is not well-formed Unicode"],
    ["c", oneOf("a", "b"), 'x must be one of a, b, not "c"'],
    [1.5, whole({ minimum: 1 }), "x must be a whole number of at least 1, not 1.5"],
    [9, whole({ minimum: 1, maximum: 8 }), "x must be a whole number from 1 to 8, not 9"],
    [Number.NaN, number({}), "x must be a number, not NaN"],
    ["1", number({ minimum: 0, maximum: 1 }), 'x must be a number from 0 to 1, not "1"'],
    [1e300, number({ minimum: 0 }), "x must be a number of at least 0, not 1e+300"],
    ["yes", flag(), 'x must be yes or no (1 or 0, true or false), not "yes"'],
    ["a", list(text()), 'x must be a list of texts, not "a"'],
    [["a", {}], list(text()), "x[1] must be a text, not object"],
    [{}, list(flag()), "x must be a list, not object"],
    [() => 1, text(), "x must be a text, not a function"],
    [[], anything(), "x must be an object"],
    [[], options({ a: text(), b: text() }), "x must be an object with a, b"],
    [[], ACCOUNT, "x must be an object with token and from"],
    [{ token: "t" }, ACCOUNT, "x.from is missing"],
    [{ token: "t", from: 5 }, ACCOUNT, "x.from must be a text or a list of texts, not 5"],
    [
      { seconds: 1 },
      options({ second: number({}) }),
      "x.seconds is not a known setting. Did you mean second?",
    ],
    [{ a: 5 }, record(text()), "x.a must be a text, not 5"],
    [
      { ftp: true },
      SECRET,
      'x must be the secret itself or where it is: { "env": "NAME" }, { "file": "PATH" }',
    ],
    [{ env: "A", file: "b" }, SECRET, "x must be the secret itself"],
    [5, either(SECRET, ACCOUNT), "}, or an object with token and from"],
    ["https://u:p@h/x?y", URL, 'without user and password, query, #, not "https://...@h?..."'],
    ["https://h/webhooks/x", PUBLIC, 'Lull adds the path of each channel, not "https://h/webhooks/..."'],
    [5, { type: "function" }, "x must be a function, not 5"],
    [{}, { type: "function", method: "open" }, "x must be an object with a function open, not object"],
    ["on", { ...flag(), description: "or it stays off" }, 'not "on": or it stays off'],
  ])("%j", (value, schema, message) => {
    expect(problemsIn(value, schema, "x", TO_PEOPLE)).toEqual([expect.stringContaining(message)]);
  });

  test.each<Schema>([SECRET, either(SECRET, ACCOUNT), either(flag(), SECRET), ACCOUNT, record(SECRET)])(
    "but for what may be a secret: %j",
    (schema) => {
      for (const value of [["sk-private"], { key: ["sk-private"] }])
        expect(problemsIn(value, schema, "x", TO_PEOPLE).join()).toMatch(/^x(?!.*sk-private)/s);
    },
  );

  test.each<[unknown, Schema]>([
    ["\u{1f600}", text()],
    [" a ", someText("", 3)],
    [0, number({ minimum: 0, maximum: 1 })],
    [Number.MAX_SAFE_INTEGER, whole({ minimum: 1 })],
    [{ env: "A" }, SECRET],
    ["https://example.test/path", URL],
    [{ open: () => 1 }, { type: "function", method: "open" }],
    [{ AC1: "token", AC2: { token: { file: "t" }, from: ["+1"] } }, record(either(SECRET, ACCOUNT))],
    [Symbol("anything"), {}],
    [{ a: undefined }, options({ a: text() })],
  ])("%# is as it should be", (value, schema) => {
    expect(problemsIn(value, schema, "x", TO_PEOPLE)).toEqual([]);
  });
});

describe("people are not shown what may be a secret in the wrong place", () => {
  test.each<[unknown, Schema, string]>([
    ["sk-proj-1234", oneOf("a", "b"), "x must be one of a, b"],
    ["opensesame", flag(), "x must be yes or no (1 or 0, true or false)"],
    ["+15550100", number({ minimum: 0, maximum: 1 }), "x must be a number from 0 to 1"],
    [15_550_100, text(), "x must be a text, not number"],
    ["sk-proj-1234", list(text()), "x must be a list of texts, not a text"],
    ["ftp://u:p@h", URL, `x must be ${inWords(URL, TO_PEOPLE)}`],
  ])("%j", (value, schema, message) => {
    expect(problemsIn(value, schema, "x", TO_PEOPLE)).toEqual([message]);
  });

  test("but a word that is nearly the right one", () => {
    expect(problemsIn("on-recieptt", oneOf("on-receipt", "on-turn"), "x", TO_PEOPLE)).toEqual([
      'x must be one of on-receipt, on-turn, not "on-recieptt"',
    ]);
  });
});

describe("programs are told the type, and never what a customer wrote", () => {
  const BODY = object({ to: someText(), parts: optional(list(object({ n: whole({ minimum: 0 }) }))) });

  test.each<[unknown, string[]]>([
    [[], ["the body must be an object, not a list"]],
    [{}, ["to is missing"]],
    [{ to: 1, too: 2 }, ["too is not known here; there are to, parts", "to must be a string, not number"]],
    [
      { to: "a", parts: [{ n: 1 }, { n: "private" }, { n: -1 }, {}] },
      [
        "parts[1].n must be a whole number of at least 0, not string",
        "parts[2].n must be a whole number of at least 0",
        "parts[3].n is missing",
      ],
    ],
  ])("%j", (value, problems) => {
    expect(problemsIn(value, BODY, "", TO_PROGRAMS)).toEqual(problems);
  });

  test("a property that every object inherits is not given", () => {
    expect(problemsIn({ to: "a", toString: 1 }, BODY, "", TO_PROGRAMS)).toHaveLength(1);
    expect(problemsIn(JSON.parse('{"to":"a","__proto__":1}'), BODY, "", TO_PROGRAMS)).toHaveLength(1);
  });
});

describe("a component", () => {
  const POINT = component("Point", object({ x: whole({}), y: optional(whole({})) }));
  const LINE = component("Line", object({ ends: list(POINT) }));

  test("is checked where it is referred to, and shown as a reference", () => {
    expect(problemsIn({ ends: [{ x: 1 }, { x: "1" }] }, LINE, "", TO_PROGRAMS)).toEqual([
      "ends[1].x must be a whole number, not string",
    ]);
    expect(JSON.parse(JSON.stringify(LINE))).toEqual({ $ref: "#/components/schemas/Line" });
    expect(inWords(LINE, TO_PEOPLE)).toBe("an object with ends");
  });

  test("is found among all that is referred to, also inside of another", () => {
    expect(Object.keys(componentsIn({ deep: [{ schema: LINE }] }))).toEqual(["Line", "Point"]);
  });

  test("has a type", () => {
    const line: Infer<typeof LINE> = { ends: [{ x: 1 }, { x: 1, y: 2 }] };
    // @ts-expect-error: x is required
    const bad: Infer<typeof POINT> = { y: 1 };
    expect([line, bad]).toHaveLength(2);
  });
});

test("an object with a toString of its own is told as what it is", () => {
  const given = { toString: null };
  expect(problemsIn(given, { type: "string" }, "host", TO_PEOPLE)).toEqual([
    "host must be a text, not object",
  ]);
});
