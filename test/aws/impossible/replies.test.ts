import assert from "node:assert/strict";
import { afterEach, beforeEach, it } from "vitest";
import { LullError } from "../../../src/errors.ts";
import { allSent, as, draftFor, replied } from "../../../src/testing/engine-contract/builders.ts";
import { describeOnEmulators } from "../describe-on-emulators.ts";
import { SharedTables } from "../shared-tables.ts";
import { ID, write } from "./conversation-row.ts";

/** A little less than a reply may have beside what else is in its draft. */
const REPLY_BYTES = 299_000;

describeOnEmulators("replies and reasons that an item cannot hold", (emulators) => {
  let at: SharedTables;
  beforeEach(async () => {
    at = await SharedTables.open(emulators);
  });
  afterEach(() => at.close());

  beforeEach(() => write(at));

  const isTooLarge = (error: unknown) => {
    assert.ok(error instanceof LullError);
    assert.deepEqual([error.code, error.retry], ["REPLY_TOO_LARGE", "never"]);
    return true;
  };

  it("one that no item holds is refused for good, and its turn becomes a dead letter", async () => {
    as("staged", await at.receive());
    const turn = await at.turnInTime();
    const draft = draftFor(turn, "x".repeat(500_000));
    await assert.rejects(at.engine.turns.draft(turn.lease, draft), isTooLarge);
    as(
      "released",
      await at.engine.turns.release(turn.lease, { kind: "dead-letter", reason: "REPLY_TOO_LARGE" }),
    );
    assert.equal((await at.dead()).length, 1);
  });

  it("one in so many parts that their ids would not fit beside them is refused, too", async () => {
    as("staged", await at.receive());
    const turn = await at.turnInTime();
    const texts = Array.from({ length: 3_000 }, () => "part");
    await assert.rejects(at.engine.turns.draft(turn.lease, draftFor(turn, texts)), isTooLarge);
  });

  it("the largest that is taken can be sent, committed or dead-lettered", async () => {
    for (const end of ["commit", "dead-letter"] as const) {
      as("staged", await at.receive());
      const turn = await at.turnInTime();
      const draft = draftFor(turn, "x".repeat(REPLY_BYTES));
      as("drafted", await at.engine.turns.draft(turn.lease, draft));
      as("written", await at.engine.turns.writeChunks(turn.lease, allSent(draft)));
      if (end === "commit") {
        as(
          "committed",
          await at.engine.turns.commit(turn.lease, replied(turn, allSent(draft), { more: false })),
        );
        assert.equal((await at.engine.conversations.history(ID, 1))[0]?.text.length, REPLY_BYTES);
      } else {
        const how = { kind: "dead-letter", reason: "never", draft: allSent(draft) } as const;
        as("released", await at.engine.turns.release(turn.lease, how));
        assert.equal((await at.dead())[0]?.draft?.chunks[0]?.text.length, REPLY_BYTES);
      }
    }
  });

  it("a human's that no item holds is refused for good", async () => {
    const request = { id: "1", conversationId: ID, channel: "test", to: "ana", author: "eva" };
    await assert.rejects(
      at.engine.conversations.say({ ...request, texts: ["x".repeat(500_000)] }),
      isTooLarge,
    );
  });

  it("a late one that no item holds is refused for good, and its turn goes on waiting", async () => {
    as("staged", await at.receive());
    const turn = await at.turnInTime();
    const afterMs = 60_000;
    const draft = draftFor(turn, [], { awaitingUntilAtMs: at.fixture.clock.nowMs() + afterMs });
    as("released", await at.engine.turns.release(turn.lease, { kind: "wait", afterMs, draft }));
    const late = { turnId: turn.turnId, texts: ["x".repeat(500_000)] };
    await assert.rejects(at.engine.conversations.answer(late), isTooLarge);
    assert.equal(await at.engine.conversations.answer({ ...late, texts: ["ok"] }), "accepted");
  });

  it("a reason of a megabyte is cut, and the turn is released or dead-lettered", async () => {
    await write(at);
    const reason = "r".repeat(1_000_000);
    as("staged", await at.receive());
    const turn = await at.turnInTime();
    const how = { kind: "retry", afterMs: 0, reason } as const;
    as("released", await at.engine.turns.release(turn.lease, how));
    const again = await at.turnInTime();
    as("released", await at.engine.turns.release(again.lease, { kind: "dead-letter", reason }));
    const [letter] = await at.dead();
    assert.ok(letter!.reason.length <= 2_000 && letter!.reason.startsWith("rrr"));
  });
});
