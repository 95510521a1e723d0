import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import type { Reply } from "../../src/model/reply.ts";
import { type TestLull, testLull } from "../../src/testing/test-lull.ts";
import { statusOf } from "../../src/wire/refusal-status.ts";

let folder: string;
let lull: TestLull | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-odd-"));
});
afterEach(async () => {
  await lull?.stop();
  lull = undefined;
  await rm(folder, { recursive: true });
});

let files = 0;
function open(respond: () => Reply): TestLull {
  files += 1;
  const engine = sqlite({ file: join(folder, `${files}.db`), writer: "inline", synchronous: "off" });
  lull = testLull({ engine, window: { seconds: 1 }, respond });
  return lull;
}

/** Everything that an acknowledged message came to, five minutes later. */
async function whatBecame(at: TestLull) {
  await at.advance(300_000);
  const { inspector } = await at.service.engine();
  const { turns, dead, staged, quarantined } = await inspector.counts();
  return { sent: at.sent.length, ended: turns + dead, staged, quarantined };
}

const ONCE = { sent: 1, ended: 1, staged: 0, quarantined: 0 };

describe("what a responder gives is written so that it can be read back", () => {
  it.each([
    ["a number for yes", { text: "hello", complete: 1 }],
    [
      "counts in words",
      { text: "hello", usage: { promptTokens: "12", completionTokens: "3", totalTokens: "15" } },
    ],
    ["a date for a reason", { text: "hello", handOff: new Date(0) }],
  ])("%s: the customer is answered once", async (_, reply) => {
    const at = open(() => reply as never);
    await at.receive("ana", "hi");
    expect(await whatBecame(at)).toEqual(ONCE);
  });

  it("whatever it gives: one turn or one dead letter, nothing set aside, nothing said twice", async () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constant(Number.NaN), fc.constant(undefined));
    const reply = fc.record(
      {
        text: fc.oneof(fc.constant("hello"), fc.array(fc.constant("hello"), { maxLength: 2 })),
        usage: fc.record({ promptTokens: odd, completionTokens: odd, totalTokens: odd }),
        complete: odd,
        handOff: odd,
        media: fc.array(fc.record({ url: odd, contentType: odd, name: odd }), { maxLength: 2 }),
      },
      { requiredKeys: ["text"] },
    );
    await fc.assert(
      fc.asyncProperty(reply, async (given) => {
        const at = open(() => given as never);
        await at.receive("ana", "hi");
        const { sent, ended, staged, quarantined } = await whatBecame(at);
        expect({ ended, staged, quarantined }).toEqual({ ended: 1, staged: 0, quarantined: 0 });
        expect(sent).toBeLessThanOrEqual(2);
        await at.stop();
      }),
      { numRuns: 30 },
    );
  });
});

describe("what a channel gives is staged so that it can be read back, or refused", () => {
  const message = {
    account: "a",
    address: "us",
    sender: "ana",
    replyTo: "ana",
    text: "hi",
    media: [],
    providerId: "m1",
  };
  const post = async (at: TestLull, odd: object) => {
    const body = Buffer.from(JSON.stringify([{ ...message, ...odd }]));
    return at.service.receive("test", { method: "POST", url: "http://x/", headers: {}, body });
  };

  it.each([
    ["a number for its id", { providerId: 77 }],
    ["a number to reply to", { replyTo: 50370000001 }],
    ["nothing for another name", { senderAlias: null }],
    ["a number in a field", { fields: { age: 7, nothing: null } }],
    ["media without a type", { media: [{ url: "https://x.example/a", contentType: null }] }],
    ["no text", { text: null }],
    ["half a character in its id", { providerId: "a\ud800" }],
    ["half a character in its sender", { sender: "a\ud800" }],
    ["a time that no calendar has", { sentAtMs: 1e300 }],
  ])("%s: it is answered", async (_, odd) => {
    const at = open(() => "hello");
    await at.service.start();
    expect((await post(at, odd)).status).toBe(200);
    expect(await whatBecame(at)).toEqual(ONCE);
  });

  it.each([
    ["an object for its sender", { sender: {} }],
    ["an id that stands for several", { providerId: 2 ** 53 }],
    ["no id", { providerId: "" }],
    ["no sender", { sender: "" }],
    ["a sender that stands for several", { sender: 1e300 }],
    ["words for its media", { media: "none" }],
  ])("%s: it is refused, and not acknowledged", async (_, odd) => {
    const at = open(() => "hello");
    await at.service.start();
    expect((await post(at, odd)).status).not.toBe(200);
    expect(await whatBecame(at)).toEqual({ sent: 0, ended: 0, staged: 0, quarantined: 0 });
  });

  it("whatever stands beside them in the payload, sound messages are answered, each once", async () => {
    const odd = fc.oneof(fc.jsonValue(), fc.constant(null), fc.constant({}));
    const neighbour = fc.oneof(
      odd,
      fc.record({ ...Object.fromEntries(Object.keys(message).map((key) => [key, odd])) }),
    );
    await fc.assert(
      fc.asyncProperty(neighbour, fc.nat({ max: 2 }), async (given, place) => {
        const at = open(() => "hello");
        // As every channel of a provider that retries for days answers.
        at.channel.answer = ({ code }) => ({ status: statusOf(code, "retrying"), headers: {}, body: "" });
        await at.service.start();
        const sound = ["ana", "ben"].map((who) => ({
          ...message,
          providerId: who,
          sender: who,
          replyTo: who,
        }));
        const body = Buffer.from(JSON.stringify(sound.toSpliced(place, 0, given as never)));
        const answer = await at.service.receive("test", {
          method: "POST",
          url: "http://x/",
          headers: {},
          body,
        });
        expect(answer.status).toBe(200);
        await at.advance(300_000);
        for (const who of ["ana", "ben"]) expect(at.sent.filter(({ to }) => to === who)).toHaveLength(1);
        await at.stop();
      }),
      { numRuns: 30 },
    );
  });
});
