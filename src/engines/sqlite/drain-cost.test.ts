import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import type { GivenSettings } from "../../model/settings.ts";
import type { Taken } from "../../model/take.ts";
import type { DueTurns } from "../../ports/engine.ts";
import { arrival, silent } from "../../testing/engine-contract/builders.ts";
import { carryOut } from "../embedded/carry-out.ts";
import type { StepContext } from "../embedded/context.ts";
import type { StepInput, StepName, StepResult } from "../embedded/requests.ts";
import { openConnection, transact } from "./connection.ts";
import { Quarantine } from "./quarantine.ts";
import { RowCache } from "./row-cache.ts";
import { type Row, Statements } from "./statements.ts";
import { sqliteTables } from "./tables.ts";

const MESSAGES = 400;
const BATCH = 10;

/** Counts the staged messages that were read, words and all, and those by which a statement only came. */
class CountingStatements extends Statements {
  read = 0;
  visited = 0;

  constructor(database: DatabaseSync) {
    super(database);
    database.function("visited", (_sequence) => {
      this.visited += 1;
      return 1;
    });
  }

  override get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return super.get(counted(sql), ...values);
  }

  override all(sql: string, ...values: SQLInputValue[]): Row[] {
    const rows = super.all(counted(sql), ...values);
    this.read += rows.filter((row) => "item" in row).length;
    return rows;
  }

  override run(sql: string, ...values: SQLInputValue[]): number {
    return super.run(counted(sql), ...values);
  }
}

/** Asked of every row that the tree is searched for, before any other condition. */
function counted(sql: string): string {
  return sql.replaceAll("FROM staged WHERE", "FROM staged WHERE visited(staged.sequence) AND");
}

let folder = "";
let database: DatabaseSync;
let sql: CountingStatements;
let nowMs = 1_700_000_000_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-drain-"));
  database = openConnection({ file: join(folder, "lull.db"), synchronous: "off" });
  sql = new CountingStatements(database);
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

function steps(given: Partial<GivenSettings>) {
  const cache = new RowCache(() => undefined);
  const quarantine = new Quarantine(database, sql, { nowMs: () => nowMs, salt: "salt", cache });
  const tables = sqliteTables({
    sql,
    quarantine,
    cache,
    nowMs: () => nowMs,
    salt: "s",
  });
  let count = 0;
  const newId = () => `id-${++count}`;
  return <N extends StepName>(name: N, input: StepInput<N>): StepResult<N> => {
    const context: StepContext = {
      tables,
      settings: settingsWith(given),
      holder: "h",
      nowMs,
      newId,
      armed: () => {},
      secret: "s",
    };
    return transact(database, () => carryOut(context, { name, input }));
  };
}

function firstOf({ outcomes }: DueTurns): Taken | undefined {
  const [outcome] = outcomes;
  return outcome?.kind === "turn" ? outcome.taken : undefined;
}

it("one look takes as much as a batch may hold; the next goes on at once with the longest waiting", () => {
  const run = steps({ batchBytesMax: 1_000 });
  for (const sender of ["ana", "ben", "cyd", "dan", "eve"]) {
    run("stage", [
      { arrival: arrival({ providerId: sender, sender, text: "x".repeat(600), arrivedAtMs: nowMs }) },
    ]);
    nowMs += 1;
  }
  nowMs += 60_000;
  const looks = [1, 2, 3, 4].map(() =>
    run("takeDue", 50).outcomes.map(
      (outcome) => outcome.kind === "turn" && outcome.taken.conversation.sender,
    ),
  );
  expect(looks).toEqual([["ana", "ben"], ["cyd", "dan"], ["eve"], []]);
});

it.each([
  ["messages", { batchMessagesMax: BATCH }],
  ["bytes", { batchBytesMax: BATCH * 100 }],
])(
  "what the limit on %s left behind is read when its turn comes, not with every turn before it",
  (_, limits) => {
    const run = steps({ stagedMessagesMax: MESSAGES, ...limits });
    for (let n = 0; n < MESSAGES; n += 1) {
      run("stage", [
        { arrival: arrival({ providerId: `m${n}`, text: "x".repeat(100), arrivedAtMs: nowMs }) },
      ]);
    }
    nowMs += 60_000;
    sql.read = 0;
    sql.visited = 0;
    let turns = 0;
    for (let taken = firstOf(run("takeDue", 10)); taken; turns += 1) {
      expect(taken.messages).toHaveLength(BATCH);
      const { lease } = taken;
      const committed = run("commit", { lease, commit: { ...silent(taken), more: taken.cut } });
      const next = "next" in committed ? committed.next : undefined;
      taken = next?.kind === "turn" ? next.taken : undefined;
    }
    expect(turns).toBe(MESSAGES / BATCH);
    // Each at the take and at the commit of its turn; the newest once a turn, to know whose window it is.
    expect(sql.read).toBeLessThanOrEqual(2 * MESSAGES + 2 * turns);
    // Half of them wait in a turn on average, and it comes by each three times: to know when all are due, for
    // the order in which they are taken, and to remove those that were.
    const comeBy = sql.visited / ((MESSAGES / 2) * turns);
    expect(comeBy).toBeGreaterThan(1);
    expect(comeBy).toBeLessThan(3.5);
  },
);
