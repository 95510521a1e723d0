import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { placesIn, SharedFile, STRANGE, withValue } from "../../../test/sqlite/shared-file.ts";
import { draftFor } from "../../testing/engine-contract/builders.ts";

let at: SharedFile;
beforeEach(async () => {
  at = await SharedFile.open();
});
afterEach(() => at.close());

const USAGE = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

describe("a state that is not ours", () => {
  it.each(STRANGE)("%j in its place stops no conversation", async (strange) => {
    const ana = await at.receive("ana");
    await at.receive("ben");
    at.change("UPDATE states SET state = ? WHERE conversation_id = ?", strange, ana);
    await at.clock.advance(10_000);
    expect(await at.answered()).toEqual(["ana", "ben"]);
    expect(await at.engine.inspector.counts()).toMatchObject({
      quarantined: 1,
      staged: 0,
      windows: 0,
      leases: 0,
    });
  });

  it("is left out of the list of locks", async () => {
    const ana = await at.receive("ana");
    const ben = await at.receive("ben");
    at.change("UPDATE states SET state = '{}' WHERE conversation_id = ?", ana);
    const { items } = await at.engine.inspector.locks({ limit: 10 });
    expect(items.map(({ conversationId }) => conversationId)).toEqual([ben]);
  });

  it("whose wake-up is due while its lease is held is not looked at again and again", async () => {
    const ana = await at.receive("ana");
    await at.clock.advance(10_000);
    expect(await at.turns()).toHaveLength(1);
    at.change("UPDATE states SET wake_at_ms = 0 WHERE conversation_id = ?", ana);
    const look = async () => (await at.engine.turns.takeDue(9, new AbortController().signal)).outcomes;
    expect((await look()).map(({ kind }) => kind)).toEqual(["busy"]);
    expect(await look()).toEqual([]);
  });

  it("in any one field, with any value, keeps no customer from being answered", async () => {
    const ana = await at.receive("ana");
    await at.clock.advance(10_000);
    const [taken] = await at.turns();
    await at.engine.turns.draft(
      taken!.lease,
      draftFor(taken!, ["one", "two"], { usage: USAGE, handOff: "why" }),
    );
    await at.receive("ana");
    const whole = JSON.parse(String(at.read("SELECT state FROM states").state));
    expect(Object.keys(whole).toSorted()).toEqual(["draft", "lease", "window", "works"]);
    await at.receive("ben");
    const row = "UPDATE states SET state = ?, wake_at_ms = 0 WHERE conversation_id = ?";
    for (const place of placesIn(whole)) {
      for (const put of [null, "soon", [], {}, 1e300, undefined]) {
        at.change(row, JSON.stringify(withValue(whole, place, put)), ana);
        const label = `${place.join(".")} = ${JSON.stringify(put)}`;
        const { outcomes, nextAtMs } = await at.engine.turns.takeDue(100, new AbortController().signal);
        expect(["busy", "later", "turn"], label).toContain(outcomes[0]?.kind);
        expect(Number.isFinite(nextAtMs), label).toBe(true);
        await at.engine.inspector.locks({ limit: 10 });
        await at.engine.inspector.conversations({ limit: 10 });
      }
    }
    // The last of them: after it every customer who wrote is answered.
    expect(await at.answered()).toEqual(expect.arrayContaining(["ana", "ben"]));
    expect(await at.engine.inspector.counts()).toMatchObject({ staged: 0 });
  });
});

describe("a time that lies a year ahead", () => {
  it("mutes no chat, whichever it is, alone or with a wake-up to match", async () => {
    const YEAR = 365 * 24 * 3_600_000;
    const ana = await at.receive("ana");
    await at.clock.advance(10_000);
    const [taken] = await at.turns();
    const sending = { kind: "sending", sendByAtMs: at.clock.nowMs() } as const;
    const draft = draftFor(taken!, "one", { awaitingUntilAtMs: at.clock.nowMs() });
    const drafted = { ...draft, chunks: draft.chunks.map((chunk) => ({ ...chunk, state: sending })) };
    await at.engine.turns.draft(taken!.lease, drafted);
    await at.receive("ana");
    const stored = JSON.parse(String(at.read("SELECT state FROM states").state));
    const held = { ...stored, notBeforeAtMs: at.clock.nowMs(), leftBehindAtMs: at.clock.nowMs() };
    const { lease: _lease, ...free } = held;
    const { awaitingUntilAtMs: _until, ...sendingDraft } = held.draft;
    const row = "UPDATE states SET state = ?, wake_at_ms = ? WHERE conversation_id = ?";
    for (const whole of [held, free, { ...free, draft: sendingDraft }]) {
      const times = placesIn(whole).filter((place) => place.at(-1)!.endsWith("AtMs"));
      for (const place of times) {
        for (const wakeAtMs of [0, at.clock.nowMs() + YEAR]) {
          const odd = withValue(whole, place, at.clock.nowMs() + YEAR);
          at.change("DELETE FROM states");
          at.change("DELETE FROM staged");
          await at.receive("ana");
          at.change(row, JSON.stringify(odd), wakeAtMs, ana);
          const label = `${place.join(".")} of ${Object.keys(whole).join()}, ${wakeAtMs}`;
          expect(await at.answered(), label).toContain("ana");
          expect(await at.engine.inspector.counts(), label).toMatchObject({
            staged: 0,
            windows: 0,
            leases: 0,
          });
        }
      }
    }
  }, 60_000);
});

describe("columns beside a state that are not ours", () => {
  it.each([
    ["UPDATE states SET wake_at_ms = 'soon'"],
    ["UPDATE states SET wake_at_ms = NULL"],
    ["UPDATE states SET wake_at_ms = x'00'"],
    ["UPDATE states SET wake_at_ms = 9223372036854775807"],
    ["UPDATE states SET holder = 'stranger/1/1/x/y', turn_id = 7"],
    ["UPDATE states SET holder = x'ff'"],
    ["UPDATE states SET conversation_id = CAST(x'63ff63' AS TEXT)"],
    ["UPDATE states SET conversation_id = x'00ff'"],
    ["UPDATE states SET conversation_id = NULL"],
    ["UPDATE staged SET conversation_id = CAST(x'63ff63' AS TEXT) WHERE sequence = 3"],
    ["UPDATE staged SET conversation_id = x'00ff' WHERE sequence = 3"],
  ])("%s: every customer is answered", async (spoil) => {
    await at.receive("ana");
    at.change(spoil);
    await at.receive("ben");
    await at.receive("cyd");
    at.change(spoil.includes("sequence") ? spoil : "SELECT 1");
    await at.clock.advance(10_000);
    const heard = await at.answered();
    expect(heard).toEqual(
      expect.arrayContaining(spoil.includes("sequence") ? ["ana", "ben"] : ["ana", "ben", "cyd"]),
    );
    expect(await at.engine.inspector.counts()).toMatchObject({ staged: 0 });
    expect((await at.engine.turns.takeDue(9, new AbortController().signal)).outcomes).toEqual([]);
  });
});
