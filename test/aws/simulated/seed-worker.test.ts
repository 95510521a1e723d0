import { beforeEach, describe, expect, it } from "vitest";
import { absent, all, any, different, equal, type Item } from "../../../src/engines/aws/dynamo/expression.ts";
import { textsOf } from "../../../src/testing/engine-contract/builders.ts";
import type { Scene } from "../../../src/testing/engine-contract/scene.ts";
import { type MemoryFixture, memoryScene } from "./memory-fixture.ts";

const PROCESSING = "processing_reply";
const SOON_MS = 60_000;

/** A worker of the original system on Lull's own tables, step by step as its documents have it. */
class SeedWorker {
  readonly #store: ReturnType<MemoryFixture["context"]>["store"];
  readonly #key: Item;
  #staged: readonly Item[] = [];

  constructor(fixture: MemoryFixture, key: Item) {
    this.#store = fixture.context().store;
    this.#key = key;
  }

  /** Acquires its lock and reads the batch; a lock that is held makes it drop its trigger. */
  async take(): Promise<readonly unknown[] | "dropped"> {
    const free = any(absent("conversation_status"), different("conversation_status", PROCESSING));
    const change = { set: { conversation_status: PROCESSING } };
    const taken = await this.#store.update("conversations", this.#key, change, free);
    if (taken.kind !== "done") return "dropped";
    const key = equal("conversation_id", this.#key.conversation_id);
    this.#staged = (await this.#store.queryPage("stage", { key })).items;
    return this.#staged.map(({ body }) => body);
  }

  /** Its last write, and its clean-up: what it read, and the trigger lock, whosever that is. */
  async finish(): Promise<void> {
    const change = { set: { conversation_status: "reply_sent" } };
    const isMine = all(equal("conversation_status", PROCESSING));
    await this.#store.update("conversations", this.#key, change, isMine);
    for (const { conversation_id, message_sid } of this.#staged)
      await this.#store.delete("stage", { conversation_id, message_sid });
    await this.#store.delete("triggerLock", { conversation_id: this.#key.conversation_id });
  }
}

describe("with honourStatus, beside a worker of the original system on the same tables", () => {
  let fixture: MemoryFixture;
  let s: Scene;
  let theirs: SeedWorker;
  let conversationId: string;
  beforeEach(async () => {
    ({ fixture, s } = await memoryScene({ honourStatus: true }));
    const { conversation } = await s.talk("hi");
    conversationId = conversation.id;
    theirs = new SeedWorker(fixture, { primary_channel: "ana", conversation_id: conversationId });
  });

  it("a message of ours that it answered gets no second turn", async () => {
    await s.receive("one");
    expect(await theirs.take()).toEqual(["one"]);
    await s.windowPasses();
    await s.nothingDue();
    await theirs.finish();
    await s.passes(SOON_MS);
    await s.nothingDue();
    await s.engine.sweeping.sweep();
    await s.passes(SOON_MS);
    await s.nothingDue();
    await s.atRest();
  });

  it("a message that came after it had read gets its turn, although it removed our window", async () => {
    await s.receive("one");
    expect(await theirs.take()).toEqual(["one"]);
    await s.receive("two");
    await theirs.finish();
    await fixture.loseTriggers();
    for (let sweeps = 0; sweeps < 4; sweeps += 1) {
      await s.passes(SOON_MS);
      await s.engine.sweeping.sweep();
    }
    await s.passes(SOON_MS);
    const taken = await s.take();
    expect(textsOf(taken)).toEqual(["two"]);
    await s.reply(taken);
    await s.atRest();
  });

  it("it drops its trigger while we answer: what it staged stays, to be moved", async () => {
    const row = { conversation_id: conversationId, message_sid: "SM1", body: "staged there" };
    await s.receive("one");
    await s.windowPasses();
    const taken = await s.take();
    fixture.write("stage", { ...row, received_at: 1_767_225_600 });
    expect(await theirs.take()).toBe("dropped");
    expect(textsOf(taken)).toEqual(["one"]);
    await s.reply(taken);
    await s.passes(SOON_MS);
    await s.nothingDue();
    const { items } = await s.engine.inspector.quarantined({ limit: 10 });
    expect(items).toMatchObject([{ conversationId, movable: true }]);
  });
});
