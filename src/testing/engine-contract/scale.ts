import assert from "node:assert/strict";
import { silent, textsOf } from "./builders.ts";
import type { EngineCase } from "./harness.ts";
import { scene } from "./scene.ts";

const CONVERSATIONS = 10_000;
const PAYLOAD = 500;
const TAKES_MAX = 400;

/** Many at once. */
export const scale: readonly EngineCase[] = [
  scene("10,000 conversations due at once are all taken in bounded takes, exactly once", {}, async (s) => {
    const engines = [s.engine, await s.open("worker-2")];
    for (let from = 0; from < CONVERSATIONS; from += PAYLOAD) {
      const senders = Array.from({ length: PAYLOAD }, (_, at) => `person-${from + at}`);
      await s.engine.receiving.stage(senders.map((sender) => ({ arrival: s.arrival({ sender }) })));
    }
    await s.windowPasses();
    const taken: string[] = [];
    const work = async (engine: (typeof engines)[number]) => {
      for (;;) {
        const turns = await s.turns(engine, TAKES_MAX);
        assert.ok(turns.length <= TAKES_MAX);
        if (turns.length === 0) return;
        taken.push(...turns.map(({ conversation }) => conversation.sender));
      }
    };
    await Promise.all(engines.map(work));
    assert.equal(taken.length, CONVERSATIONS);
    assert.equal(new Set(taken).size, CONVERSATIONS);
    assert.equal((await s.engine.inspector.counts()).leases, CONVERSATIONS);
  }),

  scene("several workers share what is due, and every message is in exactly one turn", {}, async (s) => {
    const engines = [s.engine, await s.open("worker-2"), await s.open("worker-3")];
    const texts = Array.from({ length: 60 }, (_, at) => `message ${at}`);
    const staged = texts.map((text, at) => s.receive({ text, sender: `person-${at % 20}` }, engines[at % 3]));
    await Promise.all(staged);
    await s.windowPasses();
    const turns = (await Promise.all(engines.map((engine) => s.turns(engine, 10)))).flat();
    assert.equal(turns.length, 20);
    assert.deepEqual(turns.flatMap(textsOf).sort(), [...texts].sort());
    const commits = turns.map((taken, at) => engines[at % 3]!.turns.commit(taken.lease, silent(taken)));
    assert.deepEqual(new Set((await Promise.all(commits)).map(({ kind }) => kind)), new Set(["committed"]));
    await s.atRest();
  }),
];
