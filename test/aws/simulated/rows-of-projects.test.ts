import assert from "node:assert/strict";
import { describe, expect, it } from "vitest";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import type { GivenSettings } from "../../../src/model/settings.ts";
import { viewOf } from "../../../src/runtime/project-view.ts";
import { memoryScene } from "./memory-fixture.ts";

const window = { kind: "fixed", lengthMs: 10_000 } as const;
const ACTIVE = { status: "active" } as const;

it("a row without an address is seen by the project that answers it, and by no other", async () => {
  const { s, fixture } = await memoryScene({
    channels: {
      acme: { type: "whatsapp", window, project: "acme", addresses: ["+15550100"] },
      beta: { type: "sms", window, project: "beta", addresses: ["+15550200"] },
    },
    projects: { acme: ACTIVE, beta: ACTIVE },
  });
  const key = { primary_channel: "+15550177", conversation_id: "theirs" };
  fixture.write("conversations", { ...key, channel_type: "whatsapp", task_complete: 0 });
  await s.receive({ channel: "acme", address: "+15550100", sender: "+15550177" });
  await s.windowPasses();
  assert.equal((await s.take()).conversation.id, "theirs");
  const seenBy = (project: string) => viewOf(s.engine, s.settings, project).conversations.get("theirs");
  assert.equal((await seenBy("acme"))?.id, "theirs");
  assert.equal(await seenBy("beta"), undefined);
});

describe("a row that does not say its type, where two tenants have the number over one each", () => {
  const NUMBER = "+15550100";
  const ANA = "+15550177";
  const TWO = {
    channels: {
      acme: { type: "whatsapp", window, project: "acme", addresses: [NUMBER] },
      beta: { type: "sms", window, project: "beta", addresses: [NUMBER] },
    },
    projects: { acme: ACTIVE, beta: ACTIVE },
  };

  /** Which conversation a message to each channel is answered in, and which API shows the row. */
  async function reached(row: Item, settings: Partial<GivenSettings> = TWO) {
    const { s, fixture } = await memoryScene(settings);
    fixture.write("conversations", {
      ...{ primary_channel: ANA, conversation_id: "theirs", task_complete: 0, ...row },
    });
    const answeredIn: Record<string, string> = {};
    for (const channel of ["acme", "beta"]) {
      await s.receive({ channel, address: NUMBER, sender: ANA });
      await s.windowPasses();
      const taken = await s.take();
      answeredIn[channel] = taken.conversation.id;
      await s.reply(taken);
    }
    const shows = (project: string) => viewOf(s.engine, s.settings, project).conversations.get("theirs");
    const projects = ["acme", "beta"];
    const seen = await Promise.all(projects.map(async (name) => (await shows(name)) !== undefined));
    return { answeredIn, seenBy: projects.filter((_, at) => seen[at]) };
  }

  it.each([
    ["by the name of the field", { channel_config: { whatsapp_sender: NUMBER } }],
    ["by its prefix", { channel_config: { sender: `whatsapp:${NUMBER}` } }],
  ])("is that of the tenant whom it names %s", async (_how, row) => {
    const { answeredIn, seenBy } = await reached(row);
    expect(answeredIn.acme).toBe("theirs");
    expect(answeredIn.beta).not.toBe("theirs");
    expect(seenBy).toEqual(["acme"]);
  });

  it("is nobody's where nothing tells", async () => {
    const { answeredIn, seenBy } = await reached({ channel_config: { from: NUMBER } });
    expect(Object.values(answeredIn)).not.toContain("theirs");
    expect(answeredIn.acme).not.toBe(answeredIn.beta);
    expect(seenBy).toEqual([]);
  });

  it("is found by its number where one tenant alone has that", async () => {
    const { acme, beta } = TWO.channels;
    const channels = { acme, beta: { ...beta, project: "acme" }, other: { ...beta, addresses: ["+1"] } };
    const { answeredIn } = await reached({ address: NUMBER }, { ...TWO, channels });
    expect(answeredIn).toEqual({ acme: "theirs", beta: "theirs" });
  });
});
