import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CreateTableCommand, PutItemCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type AwsResources, awsResources } from "../../tools/aws-local/aws-resources.ts";
import { typed } from "../typed-command.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";
import { LONG_NUMBERS, long } from "./simulated/long-numbers.ts";

const ACCOUNT = `AC${"0".repeat(32)}`;
const CHANNEL = {
  TWILIO_ACCOUNT_SID: ACCOUNT,
  TWILIO_AUTH_TOKEN: "token",
  TWILIO_WHATSAPP_FROM: "+15550100",
};
const MESSAGES = 12;

describeOnEmulators(
  "lull migrate seed-aws, where numbers have more digits than JavaScript holds",
  (emulators) => {
    let at: AwsResources;
    let cwd: string;
    beforeEach(async () => {
      cwd = await mkdtemp(join(tmpdir(), "lull-aws-"));
      at = await awsResources(emulators);
      for (const [name, value] of Object.entries({ ...at.env, ...CHANNEL })) vi.stubEnv(name, value);
    });
    afterEach(async () => {
      vi.unstubAllEnvs();
      await rm(cwd, { recursive: true, force: true });
    });

    async function migrate(...args: string[]) {
      const all = ["migrate", "seed-aws", ...args, "--older-than", "0s", "--json"];
      const { code, out, err } = await typed(all, { cwd, env: { ...at.env, ...CHANNEL } });
      expect(out, err).not.toBe("");
      return { code, ...JSON.parse(out) };
    }

    const put = (table: string, row: Record<string, unknown>) =>
      emulators
        .dynamodb()
        .send(new PutItemCommand({ TableName: `${at.prefix}${table}`, Item: marshall(row) }));

    const conversation = (more = {}) =>
      put("conversations", {
        primary_channel: "+15550111",
        conversation_id: "conv-1",
        task_complete: 0,
        channel_type: "whatsapp",
        updated_at: "2026-01-01T00:00:00Z",
        ...more,
      });

    /** Keyed by a number, as a table of the seeds may be. */
    async function createHolding(): Promise<void> {
      await emulators.dynamodb().send(
        new CreateTableCommand({
          TableName: `${at.prefix}Holding`,
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: [
            { AttributeName: "conversation_id", AttributeType: "S" },
            { AttributeName: "arrival_timestamp", AttributeType: "N" },
          ],
          KeySchema: [
            { AttributeName: "conversation_id", KeyType: "HASH" },
            { AttributeName: "arrival_timestamp", KeyType: "RANGE" },
          ],
        }),
      );
    }

    it.each([
      ["time_ns()", (n: number) => String(1_767_225_600_123_456_700n + BigInt(n))],
      ["Decimal(time.time())", (n: number) => `1767225600.123456716537475585${String(n).padStart(4, "0")}`],
    ])("messages that are keyed by %s are all moved, from more than one page", async (_, timeOf) => {
      await createHolding();
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
      const holding = ["--holding-table", `${at.prefix}Holding`];
      const found = { found: MESSAGES, moved: MESSAGES, gone: 0 };
      expect((await migrate(...holding)).messages).toMatchObject(found);
      expect(await migrate(...holding, "--apply")).toMatchObject({ code: 0, messages: found, left: [] });
      const { Count } = await emulators
        .dynamodb()
        .send(new ScanCommand({ TableName: `${at.prefix}Holding`, Select: "COUNT" }));
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
