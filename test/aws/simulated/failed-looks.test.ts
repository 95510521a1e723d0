import { describe, expect, it } from "vitest";
import { StoreUnavailable } from "../../../src/errors.ts";
import type { Taken } from "../../../src/model/take.ts";
import {
  allSent,
  as,
  draftFor,
  replied,
  sending,
  textsOf,
} from "../../../src/testing/engine-contract/builders.ts";
import { type Around, type MemoryAws, memoryAws, type Request } from "./memory-aws.ts";

/** Fails the request that `isNow` names, once, and counts what was asked since `begin`. */
function failing(when: "before" | "after", isNow: (request: Request, count: number) => boolean) {
  let count = 0;
  let isOn = false;
  let hasFailed = false;
  const around: Around = async (request, happen) => {
    if (isOn) count += 1;
    if (!isOn || hasFailed || !isNow(request, count)) return happen();
    hasFailed = true;
    // After: it was written or read, and the caller did not hear of it.
    if (when === "after") await happen();
    throw new StoreUnavailable("throttled");
  };
  const begin = () => {
    isOn = true;
  };
  return { around, begin, hasFailed: () => hasFailed };
}

const REQUESTS_MAX = 40;
/** The latest moment at which a failed trigger comes again: far less than a lease. */
const AGAIN_MS = 15_000;

const isArmed = ({ tables }: MemoryAws, id: string) =>
  tables.read("triggerLock", { conversation_id: id }) !== undefined;
const holderIn = ({ tables }: MemoryAws, id: string) =>
  tables.read("state", { conversation_id: id })?.lease_holder;

/** Runs `find` with each of its requests failing in turn. */
async function withEachFailing(
  when: "before" | "after",
  prepare: (fixture: MemoryAws) => Promise<string>,
  check: (taken: Taken) => void,
): Promise<number> {
  for (let place = 1; place < REQUESTS_MAX; place += 1) {
    const fixture = memoryAws();
    const id = await prepare(fixture);
    const fault = failing(when, (_request, count) => count === place);
    const worker = fixture.open("worker", fault.around);
    fault.begin();
    const outcome = await worker.turns.take(id).catch((error: unknown) => error);
    if (!fault.hasFailed()) return place - 1;
    if (!(outcome instanceof StoreUnavailable)) continue;
    expect([place, holderIn(fixture, id)], "no lease of it is left").not.toEqual([place, "worker"]);
    const isLookedAfter = isArmed(fixture, id) || holderIn(fixture, id) !== undefined;
    expect([place, isLookedAfter], "a worker will look").toEqual([place, true]);
    await fixture.clock.advance(AGAIN_MS);
    check(as("turn", await fixture.open("other").turns.take(id)).taken);
  }
  throw new Error("a look of too many requests");
}

describe.each(["before", "after"] as const)("a request of a look fails, %s it took effect", (when) => {
  it("the customer does not wait for a lease without a worker, and no attempt is counted", async () => {
    const prepare = async (fixture: MemoryAws) => {
      const [outcome] = await fixture.open("receiver").receiving.stage([{ arrival: fixture.arrival() }]);
      await fixture.clock.advance(10_000);
      return as("staged", outcome!).conversationId;
    };
    const places = await withEachFailing(when, prepare, (taken) => {
      expect([taken.attempt, taken.counted]).toEqual([1, 1]);
      expect(textsOf(taken)).toEqual(["hi"]);
    });
    expect(places).toBeGreaterThan(6);
  });

  it("so it is where a draft is continued", async () => {
    const prepare = async (fixture: MemoryAws) => {
      const doomed = fixture.open("doomed");
      const taken = await fixture.turnFor(doomed, "hi");
      await doomed.turns.draft(taken.lease, sending(draftFor(taken), 0, fixture.clock.nowMs()));
      await fixture.clock.advance(62_000);
      return taken.conversation.id;
    };
    const places = await withEachFailing(when, prepare, (taken) => {
      expect([taken.attempt, taken.counted]).toEqual([2, 2]);
      expect(taken.draft?.chunks[0]?.state.kind).toBe("sending");
    });
    expect(places).toBeGreaterThan(6);
  });

  it("the same holds after a commit that goes on under the same lease: a worker looks at once", async () => {
    const fixture = memoryAws();
    const fault = failing(when, ({ name, args }) => name === "query" && args[0] === "stage");
    const worker = fixture.open("worker", fault.around);
    const taken = await fixture.turnFor(worker, "hi");
    const id = taken.conversation.id;
    await worker.receiving.stage([{ arrival: fixture.arrival({ text: "more" }) }]);
    await fixture.clock.advance(10_000);
    const draft = draftFor(taken);
    await worker.turns.draft(taken.lease, draft);
    const before = fixture.triggers.length;
    fault.begin();
    const commit = replied(taken, allSent(draft), { more: true });
    expect(await worker.turns.commit(taken.lease, commit)).toEqual({ kind: "committed", isLeft: true });
    expect(holderIn(fixture, id)).toBeUndefined();
    expect(fixture.triggers.slice(before).map(({ conversationId }) => conversationId)).toEqual([id]);
    const next = as("turn", await fixture.open("other").turns.take(id)).taken;
    expect(textsOf(next)).toEqual(["more"]);
  });
});

it("where the store does not let it be put back, the lease lapses and heals", async () => {
  const fixture = memoryAws();
  const [outcome] = await fixture.open("receiver").receiving.stage([{ arrival: fixture.arrival() }]);
  const { conversationId } = as("staged", outcome!);
  await fixture.clock.advance(10_000);
  let isAway = false;
  const worker = fixture.open("worker", async ({ name, args }, happen) => {
    if (name === "query" && args[0] === "stage") isAway = true;
    if (isAway) throw new StoreUnavailable("away");
    return happen();
  });
  await expect(worker.turns.take(conversationId)).rejects.toThrow("away");
  expect(holderIn(fixture, conversationId)).toBe("worker");
  expect((await fixture.open("other").turns.take(conversationId)).kind).toBe("busy");
  await fixture.clock.advance(62_000);
  expect((await fixture.open("other").turns.take(conversationId)).kind).toBe("turn");
});
