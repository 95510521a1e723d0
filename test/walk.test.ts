import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Stack, traceMessage } from "./traced-message.ts";

const ROOT = join(import.meta.dirname, "..");
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

interface Stop {
  readonly file: string;
  readonly functions: readonly string[];
}

const TITLES = ["From the request to the store", "From its due time to the commit"];
const ENGINES = ["SQLite", "AWS"];

/** Where a message comes by, in that table and column: "the same" is what stands in the first. */
function walk(title: string, engine: string): readonly Stop[] {
  const [, after = ""] = textOf("CONTRIBUTING.md").split(`**${title}**\n\n`);
  const rows = after
    .split("\n\n")[0]!
    .split("\n")
    .filter((line) => line.includes("`"))
    .map((line) => line.split("|").slice(2, 4));
  const cell = (row: readonly string[]) => {
    const given = row[ENGINES.indexOf(engine)]!;
    return /the same/.test(given) ? row[0]! : given;
  };
  return rows.flatMap((row) => stopsIn(cell(row)));
}

function stopsIn(cell: string): Stop[] {
  return cell.split(";").flatMap((words) => {
    const [file, ...functions] = [...words.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
    return file === undefined ? [] : [{ file, functions }];
  });
}

/** What is asked on the way in: by which stops, and which are asked. */
const asked = textOf("CONTRIBUTING.md")
  .split("**Asked on its way in**")[1]!
  .split("\n\n")[1]!
  .split("\n")
  .filter((line) => line.includes("`"))
  .map((line) => line.split("|"))
  .map(([, what = "", by = "", whom = ""]) => ({ what: what.trim(), by: stopsIn(by), whom: stopsIn(whom) }));

const walks = TITLES.flatMap((title) =>
  ENGINES.map((engine) => ({ title, engine, stops: walk(title, engine) })),
);

describe.each(walks)("the walk of one message on $engine: $title", ({ stops }) => {
  test.each(stops)("comes by $file", expectThere);

  test("visits no file twice", () => {
    const files = stops.map(({ file }) => file);
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file, at) => files.indexOf(file) !== at)).toEqual([]);
  });
});

function expectThere({ file, functions }: Stop): void {
  const source = textOf(`src/${file}`);
  expect(functions.length).toBeGreaterThan(0);
  for (const name of functions) expect(source).toMatch(new RegExp(`(?<![\\w#])${name}(\\(|<|: async \\()`));
}

/** A channel may also answer with a value: `unfit: () => ...`. */
function expectAsked({ file, functions }: Stop): void {
  const source = textOf(`src/${file}`);
  expect(functions.length).toBeGreaterThan(0);
  for (const name of functions) expect(source).toMatch(new RegExp(`(?<![\\w#])${name}(\\(|: \\(\\) =>)`));
}

test.each(asked)("on its way in it is asked: $what", ({ by, whom }) => {
  expect(by).toHaveLength(1);
  expect(whom.length).toBeGreaterThan(0);
  for (const stop of by) expectThere(stop);
  for (const stop of whom) expectAsked(stop);
});

test("on its way in the channel is asked in that order, and from there", async () => {
  const isChannel = ({ file }: Stop) => file.startsWith("channels/");
  const told = asked.flatMap(({ by, whom }) =>
    whom.filter(isChannel).map(({ functions }) => ({
      question: functions[0],
      files: [...by, ...whom].filter((stop) => !isChannel(stop)).map(({ file }) => file),
    })),
  );
  expect(told.length).toBeGreaterThan(0);
  const traced = (await traceMessage()).asked.map(({ question, stack }, at) => ({
    question,
    files: stack.slice(-(told[at]?.files.length ?? 0)),
  }));
  expect(traced).toEqual(told);
});

test.each(ENGINES)("on %s, six functions at most are entered before the first decision", (engine) => {
  const stops = walk(TITLES[0]!, engine);
  const first = stops.findIndex(({ file }) => file.startsWith("core/"));
  const [, ...entered] = stops.slice(0, first).flatMap(({ functions }) => functions);
  expect(entered.length).toBeGreaterThan(0);
  expect(entered.length).toBeLessThanOrEqual(6);
});

/** What only runs the function that it is given, and so is no stop. */
const AROUND = [
  "http/intake.ts",
  "runtime/slots.ts",
  "wire/deadline.ts",
  "runtime/persist.ts",
  "engines/sqlite/connection.ts",
  "engines/embedded/context.ts",
];

/** Where a stack ends with the thread: the writer's. The traced message is written on the caller's. */
const BETWEEN_THREADS = ["engines/sqlite/store-client.ts", "engines/sqlite/store-thread.ts"];

/** Each file once, in the order in which the stacks first came by it. */
function cameBy(...stacks: readonly Stack[]): readonly string[] {
  return [...new Set(stacks.flat())].filter((file) => !AROUND.includes(file));
}

const upTo = (stack: Stack, file: string) => stack.slice(0, stack.indexOf(file) + 1);

test("a message on SQLite comes in by the files of the walk, in its order, and by no other", async () => {
  const { body, clock, message, statements } = await traceMessage();
  const STEP = "engines/embedded/steps/receive.ts";
  const received = clock.find((stack) => stack.includes("runtime/receive.ts")) ?? [];
  const staged = statements.find((stack) => stack.includes(STEP)) ?? [];
  const traced = cameBy(body, upTo(received, "runtime/receive.ts"), message, upTo(staged, STEP));
  const files = walk(TITLES[0]!, "SQLite").map(({ file }) => file);
  expect(traced).toEqual(upTo(files, STEP).filter((file) => !BETWEEN_THREADS.includes(file)));
});

/** What only decides or makes values calls nothing that could be traced. */
const decides = (file: string) => file.startsWith("core/") || file === "runtime/drafting.ts";

test("a turn on SQLite goes by the files of the walk, in its order, and by no other", async () => {
  const { respond, send, statements } = await traceMessage();
  const below = (...files: string[]) =>
    statements.find((stack) => files.every((file) => stack.includes(file))) ?? [];
  const [LOOP, TAKE, END, COMMIT] = [
    "runtime/worker.ts",
    "engines/embedded/steps/take.ts",
    "runtime/turn-end.ts",
    "engines/embedded/steps/commit.ts",
  ] as const;
  const taken = below(LOOP, TAKE);
  const fromLoop = upTo(taken, TAKE).slice(taken.indexOf(LOOP));
  const traced = cameBy(fromLoop, respond, send, upTo(below(END, COMMIT), COMMIT));
  const files = walk(TITLES[1]!, "SQLite").map(({ file }) => file);
  expect(traced).toEqual(files.filter((file) => !BETWEEN_THREADS.includes(file) && !decides(file)));
});

test("on its way to the step, a message on SQLite enters no file a second time", async () => {
  const { statements } = await traceMessage();
  const staged = statements.find((stack) => stack.includes("engines/embedded/steps/receive.ts")) ?? [];
  const stops = staged.filter((file) => !AROUND.includes(file));
  const entered = stops.filter((file, at) => file !== stops[at - 1]);
  expect(entered.length).toBeGreaterThan(5);
  expect(entered.filter((file, at) => entered.indexOf(file) !== at)).toEqual([]);
});
