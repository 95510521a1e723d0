import { expect, test } from "vitest";
import * as schemas from "../../../src/http/api-schemas.ts";
import { toPublic } from "../../../src/http/public-json.ts";
import { publicSchema } from "../../../src/http/public-schema.ts";
import type { Engine } from "../../../src/ports/engine.ts";
import { problemsIn, TO_PROGRAMS } from "../../../src/schema/problems.ts";
import type { Schema } from "../../../src/schema/schema.ts";
import { allSent, draftFor, replied, sent, unknown } from "../../../src/testing/engine-contract/builders.ts";
import { type MemoryAws, memoryAws } from "./memory-aws.ts";

const PAGE = { limit: 10 };
const MEDIA = [{ url: "https://media.example.test/1.png", contentType: "image/png", name: "1.png" }];
const USAGE = { promptTokens: 1, completionTokens: 2, totalTokens: 3 };

/**
 * A turn that was answered, one that became a dead letter, one with an unknown send, and a message that
 * waits.
 */
async function happen(fixture: MemoryAws, engine: Engine): Promise<string> {
  const answered = await fixture.turnFor(engine, "one");
  const draft = draftFor(answered, "yes", { usage: USAGE, author: "responder" });
  await engine.turns.draft(answered.lease, draft);
  await engine.turns.commit(answered.lease, replied(answered, allSent(draft)));
  const doubtful = await fixture.turnFor(engine, "two");
  const lost = draftFor(doubtful, ["one", "two"]);
  await engine.turns.draft(doubtful.lease, lost);
  await engine.turns.commit(
    doubtful.lease,
    replied(doubtful, unknown(sent(lost, 0), 1), { outcome: "unknown" }),
  );
  const dead = await fixture.turnFor(engine, "three");
  await engine.turns.release(dead.lease, {
    kind: "dead-letter",
    reason: "refused",
    draft: draftFor(dead, "no"),
  });
  const waiting = fixture.arrival({
    text: "four",
    media: MEDIA,
    sentAtMs: 1,
    fields: { ProfileName: "Ana" },
  });
  await engine.receiving.stage([{ arrival: waiting }]);
  return answered.conversation.id;
}

test("what the engine on AWS shows of everything is what the published document describes", async () => {
  const fixture = memoryAws();
  const engine = fixture.open("worker");
  const id = await happen(fixture, engine);
  const { inspector } = engine;
  const detail = await inspector.conversation(id);
  expect(detail).toMatchObject({
    messages: expect.arrayContaining([expect.objectContaining({ parts: [expect.anything()] })]),
    turns: [{}, {}],
    staged: [{}],
    lock: { window: {} },
  });
  const dead = (await inspector.dead(PAGE)).items;
  const lists: [Schema, readonly unknown[]][] = [
    [schemas.CONVERSATION_DETAIL, [detail]],
    [schemas.CONVERSATION, (await inspector.conversations(PAGE)).items],
    [schemas.LOCK, (await inspector.locks(PAGE)).items],
    [schemas.DEAD_LETTER, dead],
    [schemas.UNKNOWN_SEND, (await inspector.unknown(PAGE)).items],
    [schemas.COUNTS, [await inspector.counts()]],
  ];
  for (const [schema, items] of lists) {
    expect(items).not.toEqual([]);
    expect(
      items.flatMap((each) => problemsIn(toPublic(each), publicSchema(schema), "", TO_PROGRAMS)),
    ).toEqual([]);
  }
});
