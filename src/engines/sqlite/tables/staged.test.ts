import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { settingsWith } from "../../../core/defaults.ts";
import type { Engine } from "../../../ports/engine.ts";
import { arrival, silent } from "../../../testing/engine-contract/builders.ts";
import { fakeClock } from "../../../testing/fake-clock.ts";
import { sqlite } from "../index.ts";

let folder = "";
let file = "";
let engine: Engine;
let clock = fakeClock();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-staged-"));
  file = join(folder, "lull.db");
  clock = fakeClock();
});

afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

async function open(): Promise<void> {
  engine = await sqlite({ file, writer: "inline", synchronous: "off" }).open({
    clock,
    settings: settingsWith({ batchMessagesMax: 2 }),
    holder: "here",
    log: () => {},
    onArmed: () => {},
  });
}

async function stageSix(): Promise<void> {
  for (const [n, text] of [..."abcdef"].entries()) {
    const message = arrival({ providerId: `m${n}`, text, arrivedAtMs: clock.nowMs(), sentAtMs: 1_000 + n });
    await engine.receiving.stage([{ arrival: message }]);
    await clock.advance(1);
  }
  await clock.advance(60_000);
}

async function answered(): Promise<string[]> {
  const said: string[] = [];
  const { outcomes } = await engine.turns.takeDue(10, new AbortController().signal);
  for (let next = outcomes[0]; next?.kind === "turn"; ) {
    const { taken } = next;
    said.push(taken.messages.map(({ text }) => text).join(""));
    const commit = { ...silent(taken), more: taken.cut };
    const committed = await engine.turns.commit(taken.lease, commit);
    next = committed.kind === "committed" ? committed.next : undefined;
  }
  return said;
}

function change(...statements: readonly string[]): void {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  for (const statement of statements) database.exec(statement);
  database.close();
}

describe("a pile larger than a batch", () => {
  it.each([
    "arrived_at_ms = NULL",
    "arrived_at_ms = 'soon'",
    "arrived_at_ms = 9223372036854775807",
    "arrived_at_ms = NULL, sent_at_ms = NULL, position = NULL",
    "sent_at_ms = 'later'",
    "position = -1",
    "position = x'00ff'",
  ])("goes by what its messages say where another program set %s", async (spoilt) => {
    await open();
    await stageSix();
    change(`UPDATE staged SET ${spoilt} WHERE sequence IN (1, 4)`);
    expect(await answered()).toEqual(["ab", "cd", "ef"]);
    expect(await engine.inspector.counts()).toMatchObject({ staged: 0, quarantined: 0 });
  });

  it("holds ids of every kind: visitors choose their own", async () => {
    await open();
    for (const n of [1, 2, 3]) {
      await engine.receiving.stage([
        { arrival: arrival({ providerId: `\ufffd${n}`, text: `${n}`, arrivedAtMs: clock.nowMs() }) },
      ]);
    }
    await clock.advance(60_000);
    expect(await answered()).toEqual(["12", "3"]);
  });

  it("holds up no other where a row can neither be read nor recognised as foreign", async () => {
    await open();
    for (const [n, sender] of ["ana", "ana", "ana", "ben"].entries()) {
      const message = arrival({ providerId: `\ufffd${n}`, sender, arrivedAtMs: clock.nowMs() });
      await engine.receiving.stage([{ arrival: message }]);
    }
    // Bytes that are no text are read as the very sign that its message has there, and cannot be looked up.
    change("UPDATE staged SET id = CAST(unhex(replace(hex(id), 'EFBFBD', 'FF')) AS TEXT) WHERE sequence = 1");
    await clock.advance(60_000);
    const { outcomes } = await engine.turns.takeDue(10, new AbortController().signal);
    expect(outcomes).toMatchObject([{ kind: "turn", taken: { conversation: { sender: "ben" } } }]);
  });

  it.each([
    "id = x'00ff'",
    "id = CAST(x'63ff63' AS TEXT)",
    "id = 'another'",
    "id = (SELECT id FROM staged WHERE sequence = 3)",
    "sequence = -3",
    "sequence = 9223372036854775807",
    "bytes = 'many'",
    "item = '{'",
    "kind = 'gift'",
    "kind = 'outbound'",
  ])("loses a row that is not ours (%s), and nothing else", async (spoilt) => {
    await open();
    await stageSix();
    change(`UPDATE staged SET ${spoilt} WHERE sequence = 2`);
    expect((await answered()).join("")).toBe("acdef");
    expect(await engine.inspector.counts()).toMatchObject({ staged: 0, quarantined: 1 });
  });
});
