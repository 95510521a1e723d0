import assert from "node:assert/strict";
import { it } from "vitest";
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
