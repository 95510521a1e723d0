import { afterEach, describe, expect, it } from "vitest";
import { REASON_LENGTH_MAX } from "../core/defaults.ts";
import type { Responder } from "../ports/responder.ts";
import { type TestLull, testLull } from "../testing/test-lull.ts";

const LIMITS = { replyBytesMax: 1_000, replyMessagesMax: 4 };

let lull: TestLull;
afterEach(() => lull.stop());

/** Ana writes, and her turn is over, one way or the other. */
async function asked(respond: Responder, limits: object = LIMITS): Promise<void> {
  lull = testLull({ window: { seconds: 10 }, limits, respond });
  await lull.receive("ana", "hi");
  await lull.advance(10_000);
}

async function dead() {
  return (await (await lull.service.engine()).inspector.dead({ limit: 10 })).items;
}

async function conversationId(): Promise<string> {
  const { items } = await (await lull.service.engine()).inspector.conversations({ limit: 1 });
  return items[0]!.id;
}

describe("a reply of a responder", () => {
  it("of exactly the limits is sent", async () => {
    await asked(() => ["ä".repeat(250), "x".repeat(498), "y", "z"]);
    expect(lull.sent).toHaveLength(4);
    expect(await dead()).toEqual([]);
  });

  it.each<[string, Responder, RegExp]>([
    ["a byte too long", () => ["ä".repeat(250), "x".repeat(501)], /^REPLY_TOO_LARGE: .*replyBytesMax/],
    ["a message too many", () => ["1", "2", "3", "4", "5"], /^REPLY_TOO_LARGE: .*replyMessagesMax/],
    [
      "whose media have addresses without end",
      () => ({ text: "look", media: [{ url: `data:${"x".repeat(1_000)}`, contentType: "image/png" }] }),
      /^REPLY_TOO_LARGE: .*replyBytesMax/,
    ],
    [
      "with more media than a message carries",
      () => ({ text: "look", media: Array(11).fill({ url: "http://x.test", contentType: "image/png" }) }),
      /^REPLY_TOO_LARGE: .*media/,
    ],
  ])("%s is a dead letter that says why, and not a word of it is sent", async (_what, respond, reason) => {
    await asked(respond);
    expect(lull.sent).toEqual([]);
    const [letter] = await dead();
    expect(letter?.reason).toMatch(reason);
    expect(letter?.messages.map(({ text }) => text)).toEqual(["hi"]);
    expect(letter?.draft).toBeUndefined();
  });

  it("of 10 MB is refused by its length alone: no chunk is planned; the next turn is answered", async () => {
    let said = "x".repeat(10_000_000);
    await asked(() => said, {});
    expect((await dead()).map(({ reason }) => reason)).toEqual([
      "REPLY_TOO_LARGE: the reply has more than 64000 bytes (replyBytesMax)",
    ]);
    said = "better";
    await lull.receive("ana", "and now?");
    await lull.advance(10_000);
    expect(lull.sent.map(({ text }) => text)).toEqual(["better"]);
  });

  it("that hands over with a reason of any length hands over; the reason is visibly shortened", async () => {
    await asked(() => ({ handOff: "angry ".repeat(10_000) }), {});
    const engine = await lull.service.engine();
    const record = await engine.conversations.get(await conversationId());
    expect(record?.handedOff).toBe(true);
    expect(record?.handOffReason?.length).toBeLessThanOrEqual(REASON_LENGTH_MAX);
    expect(record?.handOffReason).toMatch(/angry…$/);
  });
});

describe("a late answer", () => {
  it("that is too large is refused, and the turn goes on waiting for a better one", async () => {
    let turnId = "";
    await asked((turn) => {
      turnId = turn.id;
      return { laterSeconds: 300 };
    });
    await expect(lull.service.answerTurn(turnId, { text: "x".repeat(1_001) })).rejects.toMatchObject({
      code: "REPLY_TOO_LARGE",
      retry: "never",
    });
    expect(await lull.service.answerTurn(turnId, { text: "x".repeat(1_000) })).toBe("accepted");
    await lull.advance(1_000);
    expect(lull.sent).toHaveLength(1);
  });
});

describe("what a person says", () => {
  it("is refused when it is too large, and staged when it is not", async () => {
    await asked(() => null);
    const said = { conversationId: await conversationId(), author: "eva" };
    await expect(lull.service.say({ ...said, text: "x".repeat(1_001) })).rejects.toMatchObject({
      code: "REPLY_TOO_LARGE",
      retry: "never",
    });
    expect(await lull.service.say({ ...said, text: "x".repeat(1_000) })).toBe("staged");
  });
});

it("an error with a message of any length is a reason that people can read", async () => {
  await asked(
    () => {
      throw new TypeError("why ".repeat(100_000));
    },
    { attemptsMax: 1 },
  );
  const [letter] = await dead();
  expect(letter?.reason.length).toBeLessThanOrEqual(REASON_LENGTH_MAX);
  expect(letter?.reason).toMatch(/^TypeError: why/);
});
