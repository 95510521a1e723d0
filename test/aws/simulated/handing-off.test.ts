import { describe, expect, it } from "vitest";
import type { GivenSettings } from "../../../src/model/settings.ts";
import type { Taken } from "../../../src/model/take.ts";
import type { Engine } from "../../../src/ports/engine.ts";
import { as, draftFor, sending, sent } from "../../../src/testing/engine-contract/builders.ts";
import { type MemoryAws, memoryAws, type Request } from "./memory-aws.ts";

type Meanwhile = (fixture: MemoryAws, taken: Taken) => Promise<unknown>;

/** Something happens to a taken turn right before a request of its worker, once the worker is `watched`. */
async function watchedTurn(
  settings: Partial<GivenSettings>,
  meanwhile: Meanwhile,
  isNow: (request: Request, count: number) => boolean,
) {
  const fixture = memoryAws(settings);
  let count = 0;
  let isWatched = false;
  let taken: Taken;
  const worker = fixture.open("worker", async (request, happen) => {
    if (isWatched) count += 1;
    if (isWatched && isNow(request, count)) {
      isWatched = false;
      await meanwhile(fixture, taken);
    }
    return happen();
  });
  taken = await fixture.turnFor(worker, "hi");
  const watch = () => {
    isWatched = true;
  };
  return { fixture, worker, taken, watch, isOver: () => !isWatched };
}

const byUs: Meanwhile = (fixture, { conversation }) =>
  fixture.open("human").conversations.change(conversation.id, { handedOff: true });

/** The row is shared: its other owner writes to it directly. */
const byAnother: Meanwhile = async ({ tables }, { conversation }) => {
  const key = { primary_channel: conversation.sender, conversation_id: conversation.id };
  tables.write("conversations", key, { ...tables.read("conversations", key), hand_off_to_human: 1 }, 0);
};

const write = async (worker: Engine, { lease }: Taken, draft: ReturnType<typeof draftFor>) =>
  (await worker.turns.draft(lease, draft)).kind;

/** However many requests a step makes: the hand-over comes before each of them in turn. */
const PLACES = [1, 2, 3, 4];

describe.each([
  ["through us", byUs],
  ["by another system, in the record that we share", byAnother],
])("a human takes over %s", (_how, meanwhile) => {
  it("at any moment until the draft is written and checked: nothing goes out, no draft is left", async () => {
    let places = 0;
    for (const place of PLACES) {
      const turn = await watchedTurn({}, meanwhile, (_request, count) => count === place);
      const { worker, taken, fixture } = turn;
      turn.watch();
      const kind = await write(worker, taken, sending(draftFor(taken), 0, fixture.clock.nowMs() + 15_000));
      if (!turn.isOver()) continue;
      places += 1;
      expect([place, kind]).toEqual([place, "handed-off"]);
      const detail = await worker.inspector.conversation(taken.conversation.id);
      expect(detail?.lock?.draft).toBe(false);
    }
    expect(places).toBeGreaterThanOrEqual(2);
  });

  it("at any moment until a chunk is written and checked: it stays here; sent ones stay sent", async () => {
    let places = 0;
    for (const place of PLACES) {
      const turn = await watchedTurn({}, meanwhile, (_request, count) => count === place);
      const { worker, taken, fixture } = turn;
      const byAtMs = fixture.clock.nowMs() + 15_000;
      const draft = draftFor(taken, ["one", "two"]);
      expect(await write(worker, taken, sending(draft, 0, byAtMs))).toBe("drafted");
      turn.watch();
      const { kind } = await worker.turns.writeChunks(taken.lease, sending(sent(draft, 0), 1, byAtMs));
      if (!turn.isOver()) continue;
      places += 1;
      expect([place, kind]).toEqual([place, "handed-off"]);
      await fixture.clock.advance(62_000);
      const { taken: next } = as("turn", await fixture.open("next").turns.take(taken.conversation.id));
      expect(next.draft?.chunks.map(({ state }) => state.kind)).toEqual(["sent", "pending"]);
    }
    expect(places).toBeGreaterThanOrEqual(2);
  });

  it("while the look fails: the step that is tried again finds it", async () => {
    const fixture = memoryAws();
    let fails = false;
    const worker = fixture.open("worker", async ({ name, args }, happen) => {
      if (fails && name === "get" && args[0] === "conversations") {
        fails = false;
        throw new Error("throttled");
      }
      return happen();
    });
    const taken = await fixture.turnFor(worker, "hi");
    const draft = sending(draftFor(taken), 0, fixture.clock.nowMs() + 15_000);
    fails = true;
    await expect(write(worker, taken, draft)).rejects.toThrow("throttled");
    await meanwhile(fixture, taken);
    expect(await write(worker, taken, draft)).toBe("handed-off");
    expect((await worker.inspector.conversation(taken.conversation.id))?.lock?.draft).toBe(false);
  });
});

it.each([
  ["update", "state"],
  ["queryPage", "stage"],
])("with `restart`, what is staged before the %s of %s starts the answer over", async (name, table) => {
  const more: Meanwhile = (fixture) =>
    fixture.open("receiver").receiving.stage([{ arrival: fixture.arrival({ text: "wait" }) }]);
  const turn = await watchedTurn(
    { whileBusy: "restart" },
    more,
    (request) => request.name === name && request.args[0] === table,
  );
  turn.watch();
  expect(await write(turn.worker, turn.taken, draftFor(turn.taken))).toBe("newer");
  expect(turn.isOver()).toBe(true);
  expect((await turn.worker.inspector.conversation(turn.taken.conversation.id))?.lock?.draft).toBe(false);
});
