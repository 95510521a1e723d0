import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import { carryOut } from "../../src/engines/embedded/carry-out.ts";
import type { StepContext } from "../../src/engines/embedded/context.ts";
import { embeddedEngine } from "../../src/engines/embedded/engine.ts";
import { isRead, READS, STEPS } from "../../src/engines/embedded/requests.ts";
import { type AskStep, stepClient } from "../../src/engines/embedded/step-client.ts";
import { openConnection, transact } from "../../src/engines/sqlite/connection.ts";
import { Quarantine } from "../../src/engines/sqlite/quarantine.ts";
import { RowCache } from "../../src/engines/sqlite/row-cache.ts";
import { type Row, Statements } from "../../src/engines/sqlite/statements.ts";
import { sqliteTables } from "../../src/engines/sqlite/tables.ts";
import { KEPT_KINDS } from "../../src/model/kept.ts";
import type { Taken, TakeOutcome } from "../../src/model/take.ts";
import type { Engine } from "../../src/ports/engine.ts";
import { allSent, arrival, draftFor, replied, unknown } from "../../src/testing/engine-contract/builders.ts";

const NEVER = new AbortController().signal;

/**
 * Steps for people, who ask for all of something, or that look through what is open now. Erasing looks for a
 * person's name in refusals and quarantined rows: two tables that have a limit. A person without a
 * conversation is looked for page by page.
 */
const MAY_SCAN = new Set([
  "counts",
  "erase",
  "findPerson",
  "freeLeases",
  "gauges",
  "holders",
  "listConversations",
  "sweep",
]);

/** The secret is known since the file was opened; rows are set aside only where some are foreign. */
const READS_NOTHING = new Set(["quarantine", "secretFor"]);

/** Notes every statement together with the step that it was made for. */
class NotingStatements extends Statements {
  readonly noted = new Map<string, Set<string>>();
  step = "";

  override get(sql: string, ...values: Parameters<Statements["get"]>[1][]): Row | undefined {
    return super.get(this.#note(sql), ...values);
  }

  override all(sql: string, ...values: Parameters<Statements["get"]>[1][]): Row[] {
    return super.all(this.#note(sql), ...values);
  }

  override run(sql: string, ...values: Parameters<Statements["get"]>[1][]): number {
    return super.run(this.#note(sql), ...values);
  }

  #note(sql: string): string {
    this.noted.set(sql, (this.noted.get(sql) ?? new Set()).add(this.step));
    return sql;
  }
}

let folder = "";
let database: DatabaseSync;
let sql: NotingStatements;
let engine: Engine;
let nowMs = 1_700_000_000_000;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-plans-"));
  database = openConnection({ file: join(folder, "lull.db"), synchronous: "off" });
  sql = new NotingStatements(database);
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
  const settings = settingsWith({ batchMessagesMax: 2, whileBusy: "restart", retentionMs: 86_400_000 });
  const ask: AskStep = (name) => async (input) => {
    const newId = () => `id-${++count}`;
    const step: StepContext = { tables, settings, holder: "h", nowMs, newId, armed: () => {}, secret: "s" };
    sql.step = name;
    // As if every step came to rows of which nothing is known.
    cache.clear();
    return isRead(name)
      ? carryOut(step, { name, input })
      : transact(database, () => carryOut(step, { name, input }));
  };
  engine = embeddedEngine(stepClient(ask), {
    deadAmong: (holders) => holders,
    ping: async () => void (await ask("ping")(undefined)),
    close: async () => {},
  });
});

afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

async function receive(sender: string, ...texts: string[]): Promise<string> {
  let conversationId = "";
  for (const text of texts) {
    const message = arrival({ providerId: `${sender}-${text}`, sender, text, arrivedAtMs: nowMs });
    const [outcome] = await engine.receiving.stage([
      { arrival: { ...message, senderAlias: `${sender}@example.test` } },
    ]);
    if (outcome?.kind === "staged") ({ conversationId } = outcome);
  }
  return conversationId;
}

async function taken(): Promise<Taken> {
  nowMs += 60_000;
  const { outcomes } = await engine.turns.takeDue(10, NEVER);
  const turn = outcomes.find((outcome): outcome is TakeOutcome & { kind: "turn" } => outcome.kind === "turn");
  return turn!.taken;
}

/** Every step once, and most of what it may find. */
async function everything(): Promise<void> {
  const { receiving, turns, sweeping, conversations, repairs, inspector } = engine;
  const page = { limit: 10, cursor: "5" };
  const id = await receive("ana", "a", "b", "c", "d", "e");
  await receive("ana", "a");
  await turns.take(id);
  const first = await taken();
  await turns.renew(first.lease);
  await turns.hasNewer(first.lease);
  const sent = allSent(draftFor(first));
  await turns.draft(first.lease, draftFor(first));
  await turns.writeChunks(first.lease, sent);
  await turns.commit(first.lease, { ...replied(first, sent), more: true });
  await receiving.recordDelivery("sms", { account: "a", providerId: "p", status: "sent" });
  const chunk = { turnId: first.turnId, chunk: 0 };
  await receiving.recordDelivery("sms", { account: "a", providerId: "p", status: "sent", chunk });

  const ben = await receive("ben", "a");
  const failed = await taken();
  await turns.release(failed.lease, { kind: "restart" });
  const again = await taken();
  await turns.release(again.lease, { kind: "dead-letter", reason: "x" });
  const letter = (await inspector.dead({ limit: 1 })).items[0]!;
  await repairs.deadLetter(letter.id);
  await repairs.retryDead(letter.id);
  const unsure = await taken();
  await turns.commit(unsure.lease, replied(unsure, unknown(draftFor(unsure), 0), { outcome: "unknown" }));
  await repairs.discardDead("x");
  await repairs.resendUnknown("x");
  await repairs.unknownSend("x");
  for (const { id: send } of (await inspector.unknown({ limit: 10 })).items) await repairs.markUnknown(send);
  await repairs.discardQuarantined?.("1");

  await conversations.create({ channelType: "web", address: "web", sender: "cyd" });
  await conversations.get(ben);
  await conversations.change(ben, { paused: true });
  await conversations.change(ben, { paused: false });
  await conversations.changeAttribute(ben, { name: "plan", was: undefined, to: "gold" });
  await conversations.history(ben, 10, 1_000);
  const said = { id: "1", conversationId: ben, channel: "sms", to: "ben", texts: ["x"], author: "h" };
  await conversations.say(said);
  await conversations.answer({ turnId: "x", texts: ["x"] });
  await conversations.pauseAll(true);
  await turns.takeDue(10, NEVER);
  await conversations.pauseAll(false);
  await conversations.changeProject("acme", { status: "archived" });
  await conversations.changeProject("acme", { paused: false });
  await sweeping.sweep();
  await sweeping.freeLeases("h");
  await engine.ping();
  await receiving.knownSinceMs();

  await inspector.conversation(id);
  await inspector.names((await conversations.get(id))!);
  await inspector.latestId({ channelType: "web", address: "web", sender: "cyd" });
  for (const list of ["locks", "dead", "unknown", "refusals"] as const) {
    await inspector[list](page);
    await inspector[list]({ limit: 10 });
  }
  await inspector.quarantined?.(page);
  await inspector.conversations({ limit: 10, search: "a" });
  await inspector.counts();
  await inspector.projectChanges();
  await inspector.gauges();
  const { people } = engine;
  const found = await people.find({ names: ["ana", "ben"] });
  for (const cursor of ["", found.next!, JSON.stringify(["dead"])])
    await people.find({ names: ["cyd"], cursor });
  for (const kind of KEPT_KINDS)
    for (const cursor of [{}, { cursor: "0:5" }])
      await people.kept(found.items[0]!, { kind, limit: 10, ...cursor });
  await people.erase({ names: ["cyd"] });
  await conversations.erase(id);
}

/** What was counted out before, and an index that holds only outbounds that are not sent yet. */
const IS_SHORT = /^SCAN (json_each|waiting|\(|CONSTANT|staged USING COVERING INDEX staged_outbounds)/;

function scansOf(statement: string): string[] {
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${statement}`).all() as { detail: string }[];
  return plan
    .map(({ detail }) => detail)
    .filter((detail) => detail.startsWith("SCAN") && !IS_SHORT.test(detail));
}

it("no step that a webhook, a turn or a visitor waits for reads a table from end to end", async () => {
  await everything();
  const named = new Set([...sql.noted.values()].flatMap((steps) => [...steps]));
  const steps = Object.keys({ ...STEPS, ...READS });
  expect(steps.filter((step) => !named.has(step) && !READS_NOTHING.has(step))).toEqual([]);
  const scanning = [...sql.noted].flatMap(([statement, steps]) => {
    const waiting = [...steps].filter((step) => !MAY_SCAN.has(step));
    const scans = waiting.length === 0 ? [] : scansOf(statement);
    return scans.length === 0 ? [] : [{ statement, steps: waiting, scans }];
  });
  expect(scanning).toEqual([]);
});
