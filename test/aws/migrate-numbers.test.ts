import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { expect, it } from "vitest";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { ACCOUNT, movingIn } from "./moving-in.ts";
import { LONG_NUMBERS, long } from "./simulated/long-numbers.ts";

const MESSAGES = 12;

describeOnEmulators(
  "lull migrate seed-aws, where numbers have more digits than JavaScript holds",
  (emulators) => {
    const on = movingIn(emulators);
    const { put } = on;

    async function migrate(...args: string[]) {
      const { code, json, stderr } = await on.lull(
        ...["migrate", "seed-aws", ...args, "--older-than", "0s", "--json"],
      );
      expect(json, stderr).toBeDefined();
      return { code, ...json };
    }

    const conversation = (more = {}) =>
      put("conversations", {
        primary_channel: "+15550111",
        conversation_id: "conv-1",
        task_complete: 0,
        channel_type: "whatsapp",
        updated_at: "2026-01-01T00:00:00Z",
        ...more,
      });

    it.each([
      ["time_ns()", (n: number) => String(1_767_225_600_123_456_700n + BigInt(n))],
      ["Decimal(time.time())", (n: number) => `1767225600.123456716537475585${String(n).padStart(4, "0")}`],
    ])("messages that are keyed by %s are all moved, from more than one page", async (_, timeOf) => {
      // As a table of the seeds may be.
      await on.createSeedTable("Holding", { key: "arrival_timestamp", type: "N" });
      await conversation();
      const context = { from: "whatsapp:+15550111", to: "whatsapp:+15550100", account_sid: ACCOUNT };
      for (let n = 0; n < MESSAGES; n += 1) {
        const message_sid = `SM${n.toString(16).padStart(32, "0")}`;
        await put("Holding", {
          conversation_id: "conv-1",
          arrival_timestamp: long(timeOf(n)),
          pad: "x".repeat(200_000),
          context_object: { ...context, message_sid, body: `m${n}` },
        });
      }
      const holding = ["--holding-table", `${on.at.prefix}Holding`];
      const found = { found: MESSAGES, moved: MESSAGES, gone: 0 };
      expect((await migrate(...holding)).messages).toMatchObject(found);
      expect(await migrate(...holding, "--apply")).toMatchObject({ code: 0, messages: found, left: [] });
      const { Count } = await on.dynamodb.send(
        new ScanCommand({ TableName: `${on.at.prefix}Holding`, Select: "COUNT" }),
      );
      expect(Count).toBe(0);
    });

    it("a stuck status whose time is one of these is put to rest, and the run goes on", async () => {
      for (const [n, text] of LONG_NUMBERS.entries())
        await conversation({
          conversation_id: `conv-${n}`,
          conversation_status: "processing_reply",
          updated_at: long(text),
        });
      const { conversations, left } = await migrate("--apply");
      expect([conversations.stuck, conversations.rested, left]).toEqual([5, 5, []]);
    });
  },
);
