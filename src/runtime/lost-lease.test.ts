import { afterEach, expect, it } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { StoreUnavailable } from "../errors.ts";
import { type Around, aroundEngine } from "../testing/around-engine.ts";
import { type TestLull, testLull } from "../testing/test-lull.ts";

const WINDOW_MS = 10_000;

let lull: TestLull;
const events: string[] = [];
afterEach(() => lull.stop());

/** A turn on a store whose calls go through `around`. */
function open(around: Around, leaseSeconds: number, answerMs: number, reply: string[]): void {
  events.length = 0;
  lull = testLull({
    engine: aroundEngine(memory(), () => around),
    window: { seconds: WINDOW_MS / 1_000 },
    limits: { leaseSeconds },
    log: (_level, event) => void events.push(event),
    respond: async () => {
      await lull.clock.sleep(answerMs);
      return reply;
    },
  });
}

it("a worker that learns before a chunk that another has the lease does not send", async () => {
  open(async (name, _input, call) => (name === "turns.writeChunks" ? { kind: "lost" } : call()), 60, 0, [
    "one",
    "two",
  ]);
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS);
  expect(lull.sent.map(({ text }) => text)).toEqual(["one"]);
  expect(events).toContain("lease.lost");
});

it("a worker that loses the lease while the draft is being written does not send", async () => {
  const slow: Around = async (name, _input, call) => {
    if (name === "turns.renew") return { kind: "lost" };
    const result = await call();
    // Long enough to hear of the loss, and not so long that the send's own time is over.
    if (name === "turns.draft") await lull.clock.sleep(4_000);
    return result;
  };
  open(slow, 30, 8_000, ["hello"]);
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS + 8_000 + 4_000);
  expect(events).toContain("lease.lost");
  expect(lull.sent).toEqual([]);
});

it("every chunk of a long reply renews the lease, even if nothing else can", async () => {
  const away: Around = async (name, _input, call) => {
    if (name === "turns.renew") throw new StoreUnavailable("away");
    return call();
  };
  const reply = ["1", "2", "3", "4", "5", "6", "7"];
  open(away, 60, 50_000, reply);
  lull.channel.behave(async (_outgoing, n) => {
    await lull.clock.sleep(12_000);
    return { kind: "sent", providerId: `out-${n}` };
  });
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS + 50_000 + 7 * 12_000 + 1_000);
  expect(lull.sent.map(({ text }) => text)).toEqual(reply);
  expect(events).toContain("turn.committed");
  expect(events).not.toContain("lease.lost");
});

it("a send whose time was over before it began is made later, and becomes no dead letter", async () => {
  let frozen = false;
  const freezing: Around = async (name, _input, call) => {
    const result = await call();
    if (name === "turns.draft" && !frozen) {
      frozen = true;
      await lull.clock.sleep(20_000);
    }
    return result;
  };
  open(freezing, 60, 0, ["hello"]);
  await lull.receive("ana", "hi");
  await lull.advance(WINDOW_MS + 20_000);
  expect(lull.sent).toEqual([]);
  await lull.advance(60_000);
  expect(lull.sent.map(({ text }) => text)).toEqual(["hello"]);
  expect(events).not.toContain("turn.dead");
});
