import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "vitest";
import { DEFAULTS } from "../../../src/core/defaults.ts";
import type { Taken } from "../../../src/model/take.ts";
import { as, silent, textsOf } from "../../../src/testing/engine-contract/builders.ts";
import { describeOnEmulators } from "../describe-on-emulators.ts";
import { SharedTables } from "../shared-tables.ts";
import { ID, KEY, write } from "./conversation-row.ts";

const twelve = () => Array.from({ length: 12 }, (_, n) => `${n} ${"x".repeat(380_000)}`);

describeOnEmulators("messages that an item cannot hold", (emulators) => {
  let at: SharedTables;
  beforeEach(async () => {
    at = await SharedTables.open(emulators);
  });
  afterEach(() => at.close());

  /** Turns right behind each other until there is none, each with a reply. */
  async function answerAll(): Promise<Taken[]> {
    const all: Taken[] = [];
    await at.fixture.clock.advance(10_000);
    for (const outcome of await at.fixture.takeDue(at.engine)) {
      let next: typeof outcome | undefined = outcome;
      while (next?.kind === "turn") {
        const turn: Taken = next.taken;
        all.push(turn);
        const committed = await at.engine.turns.commit(
          turn.lease,
          silent(turn, { userMedia: turn.messages.flatMap(({ media }) => media) }),
        );
        next = as("committed", committed).next;
      }
    }
    return all;
  }

  const said = async (id: string) => {
    const history = await at.engine.conversations.history(id, 100);
    return history.flatMap(({ parts = [] }) => parts.map(({ text }) => text));
  };

  it("twelve of 380 KB whose conversation is gone become dead letters, and can be retried", async () => {
    await write(at);
    const texts = twelve();
    for (const text of texts) as("staged", await at.receive({ text }));
    await at.remove("conversations", KEY);
    await at.fixture.clock.advance(10_000);
    await at.fixture.takeDue(at.engine);
    const letters = await at.dead();
    assert.deepEqual(
      letters.flatMap(({ messages }) => messages.map(({ text }) => text)).sort(),
      [...texts].sort(),
    );
    await write(at);
    for (const { id } of letters) assert.equal(await at.engine.repairs.retryDead(id), "retried");
    assert.deepEqual((await answerAll()).flatMap(textsOf).sort(), [...texts].sort());
    assert.deepEqual(await at.dead(), []);
  });

  it("twelve of 380 KB move on when their task is completed before their turn", async () => {
    await at.close();
    at = await SharedTables.open(emulators, { validation: "on-turn" });
    as("staged", await at.receive({ text: "first" }));
    const [{ conversation }] = (await answerAll()) as [Taken];
    const texts = twelve();
    for (const text of texts) as("staged", await at.receive({ text }));
    await at.engine.conversations.change(conversation.id, { taskComplete: true });
    const turns = await answerAll();
    assert.deepEqual(turns.flatMap(textsOf), texts);
    assert.notEqual(turns[0]!.conversation.id, conversation.id);
  });

  it("thirty with long addresses of media are committed, and each of them is in the history", async () => {
    await write(at);
    const contentType = "image/png";
    const texts = Array.from({ length: 30 }, (_, n) => `${n}`);
    for (const text of texts) {
      const media = [{ url: `https://example.com/${text}/${"x".repeat(30_000)}`, contentType }];
      as("staged", await at.receive({ text, media }));
    }
    const turns = await answerAll();
    assert.deepEqual(turns.flatMap(textsOf), texts);
    assert.deepEqual(await said(ID), texts);
    const history = await at.engine.conversations.history(ID, 100);
    assert.equal(history.flatMap(({ media }) => media).length, 30);
  });

  it("one with an address of 300 KB is committed, and in the history", async () => {
    await write(at);
    const url = `https://example.com/${"x".repeat(300_000)}`;
    as("staged", await at.receive({ media: [{ url, contentType: "image/png" }] }));
    assert.equal((await answerAll()).length, 1);
    const [message] = await at.engine.conversations.history(ID, 10);
    assert.deepEqual(
      message?.media.map((each) => each.url),
      [url],
    );
  });

  it("thirty with long fields are committed", async () => {
    await write(at);
    const fields = { quoted: "x".repeat(150_000) };
    for (let n = 0; n < 30; n += 1) as("staged", await at.receive({ text: `${n}`, fields }));
    assert.equal((await answerAll()).flatMap(textsOf).length, 30);
  });

  it("an id as long as a key may be is dead-lettered and retried; a longer one is refused", async () => {
    await write(at);
    const longest = "i".repeat(1_024 - "test/account/".length);
    as("staged", await at.receive({ providerId: longest }));
    const turn = await at.turnInTime();
    as("released", await at.engine.turns.release(turn.lease, { kind: "dead-letter", reason: "never" }));
    const [letter] = await at.dead();
    assert.equal(letter?.messages[0]?.providerId, longest);
    assert.equal(await at.engine.repairs.retryDead(letter.id), "retried");
    assert.equal((await answerAll()).length, 1);
    assert.equal(as("refused", await at.receive({ providerId: `${longest}i` })).code, "MESSAGE_TOO_LARGE");
  });

  it("a sender whose name no key holds is refused", async () => {
    await write(at);
    assert.equal(as("refused", await at.receive({ sender: "s".repeat(500_000) })).code, "MESSAGE_TOO_LARGE");
  });

  it("what is too large is on record once, however often it comes", async () => {
    await write(at);
    const tooLarge = [
      { providerId: "i".repeat(2_000) },
      { providerId: "large", text: "x".repeat(500_000) },
      { providerId: "named", sender: "s".repeat(3_000) },
    ];
    for (let time = 0; time < 3; time += 1)
      for (const message of tooLarge)
        assert.equal(as("refused", await at.receive(message)).code, "MESSAGE_TOO_LARGE");
    const { items } = await at.engine.inspector.refusals({ limit: 100 });
    assert.equal(items.length, tooLarge.length);
    // As long as any other message is remembered.
    await at.fixture.clock.advance(DEFAULTS.dedupeMs);
    as("refused", await at.receive(tooLarge[0]));
    assert.equal((await at.engine.inspector.refusals({ limit: 100 })).items.length, tooLarge.length + 1);
  });
});
