import { twilio } from "../../../src/channels/twilio/index.ts";
import { settingsWith } from "../../../src/core/defaults.ts";
import { isoOf } from "../../../src/core/instant.ts";
import { contextFor } from "../../../src/engines/aws/context.ts";
import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import type { ForeignTable } from "../../../src/engines/aws/dynamo/tables.ts";
import { engineOn } from "../../../src/engines/aws/engine.ts";
import type { Trigger } from "../../../src/engines/aws/queue/triggers.ts";
import { seedTablesOn } from "../../../src/engines/aws/seed-tables.ts";
import { moveTables } from "../../../src/migrate/seed-aws/move.ts";
import type { GivenSettings } from "../../../src/model/settings.ts";
import { testContext } from "../../../src/testing/channel-context.ts";
import { fakeClock } from "../../../src/testing/fake-clock.ts";
import type { Random } from "../../../src/testing/simulator/random.ts";
import { takeAllTurns } from "../../migrate/turns.ts";
import { MemoryStore } from "./memory-store.ts";
import { MemoryTables } from "./memory-tables.ts";

export const HOLDING: ForeignTable = {
  name: "Holding",
  partitionKey: { name: "conversation_id", type: "S" },
  sortKey: { name: "arrival_timestamp", type: "S" },
};
export const BATCH_STATE: ForeignTable = {
  name: "ConversationBatchState",
  partitionKey: { name: "conversation_id", type: "S" },
};
export const ACCOUNT = `AC${"0".repeat(32)}`;
export const OURS = "+15550100";
const AGO_MS = 3_600_000;

export const sidOf = (n: number) => `SM${n.toString(16).padStart(32, "0")}`;
export const customerOf = (n: number) => `+1555${String(n).padStart(7, "0")}`;

export class Killed extends Error {}

interface MigrateOptions {
  readonly diesAfter?: number;
  readonly olderThanMs?: number;
  readonly newerThanMs?: number;
  readonly isApplied?: boolean;
}

/** The original system's tables beside ours, and processes that may be killed between any two requests. */
export function seedWorld(
  given: Partial<GivenSettings> = {},
  { pageRowsMax = 4_000, holding = HOLDING }: { pageRowsMax?: number; holding?: ForeignTable } = {},
) {
  const clock = fakeClock();
  const tables = new MemoryTables();
  const settings = settingsWith({
    clockSkewMs: 2_000,
    window: { kind: "fixed", lengthMs: 10_000 },
    ...given,
  });
  let waiting: (Trigger & { wakeAtMs: number; queue: string; receipt: string })[] = [];
  let receipts = 0;
  const process = (diesAfter = Number.POSITIVE_INFINITY) => {
    let left = diesAfter;
    const lives = () => {
      left -= 1;
      if (left < 0) throw new Killed("killed");
    };
    const store = new MemoryStore(tables, {
      delay: async () => {},
      async meets(_name, happen) {
        // Dies before the request or behind it: its answer is never heard.
        lives();
        const answer = await happen();
        lives();
        return answer;
      },
      indexLag: () => 0,
      sees: "all",
      scribble: () => {},
      repeats: () => false,
      pageRowsMax,
    });
    const triggers = {
      async send(trigger: Trigger, wakeAtMs: number) {
        lives();
        receipts += 1;
        waiting.push({ ...trigger, wakeAtMs, queue: "memory", receipt: String(receipts) });
      },
      receive: async (max: number) => waiting.filter((each) => each.wakeAtMs <= clock.nowMs()).slice(0, max),
      async done(received: readonly { readonly receipt: string }[]) {
        const done = new Set(received.map(({ receipt }) => receipt));
        waiting = waiting.filter(({ receipt }) => !done.has(receipt));
      },
      check: async () => {},
    };
    const own = { clock, settings, holder: "test", log: () => {}, onArmed: () => {} };
    return contextFor(own, { store, triggers, forget: "sweep" });
  };
  return {
    clock,
    tables,
    engine: () => engineOn(process(), async () => {}),
    write: (table: Parameters<MemoryTables["write"]>[0], item: Item) => tables.write(table, item, item, 0),
    migrate(options: MigrateOptions = {}) {
      const { diesAfter, olderThanMs = 600_000, isApplied = true, newerThanMs } = options;
      const found = {
        stage: "stage",
        triggerLock: "triggerLock",
        conversations: "conversations",
        holding,
        batchState: BATCH_STATE,
      } as const;
      const channel = twilio.whatsapp({ from: OURS, accountSid: ACCOUNT });
      channel.open?.(testContext());
      return moveTables({
        tables: seedTablesOn(process(diesAfter), found),
        channels: { whatsapp: channel },
        channel: undefined,
        accountFor: () => ACCOUNT,
        address: OURS,
        clock,
        isApplied,
        olderThanMs,
        newerThanMs,
        onProgress: () => {},
      });
    },
  };
}

export type World = ReturnType<typeof seedWorld>;

export function conversationRow(n: number, more: Item = {}): Item {
  return {
    primary_channel: customerOf(n),
    conversation_id: `conv-${n}`,
    task_complete: 0,
    channel_type: "whatsapp",
    conversation_status: "initial_message_sent",
    updated_at: "2025-12-31T00:00:00Z",
    openai_thread_id: `thread_${n}`,
    ...more,
  };
}

/** In every form that the seeds give a staged message. */
export function writeMessage(world: World, random: Random, n: number, sid: number, text: string): void {
  const atMs = world.clock.nowMs() - AGO_MS;
  const conversation_id = `conv-${n}`;
  const lean = { conversation_id, message_sid: sidOf(sid), primary_channel: customerOf(n), body: text };
  const context = {
    from: `whatsapp:${customerOf(n)}`,
    to: `whatsapp:${OURS}`,
    message_sid: sidOf(sid),
    account_sid: ACCOUNT,
    channel_type: "whatsapp",
    body: text,
    conversation_id,
    primary_channel: customerOf(n),
  };
  const held = {
    conversation_id,
    arrival_timestamp: `${isoOf(atMs)}#${sid}`,
    target_queue_url: "https://queue",
  };
  const raw = new URLSearchParams({
    MessageSid: sidOf(sid),
    AccountSid: ACCOUNT,
    From: context.from,
    To: context.to,
    Body: text,
  }).toString();
  const form = random.below(6);
  if (form < 3) world.write("stage", { ...lean, ...LEAN[form]!(atMs, context) });
  else world.write(HOLDING, { ...held, ...HELD[form - 3]!(context, raw) });
}

type Context = Readonly<Record<string, string>>;

const LEAN: readonly ((atMs: number, context: Context) => Item)[] = [
  (atMs) => ({ received_at: isoOf(atMs) }),
  (atMs) => ({ received_at: Math.floor(atMs / 1_000), expires_at: 1 }),
  // Python's clock without a zone.
  (atMs, context) => ({ received_at: isoOf(atMs).slice(0, 19), context_object: context }),
];

const HELD: readonly ((context: Context, raw: string) => Item)[] = [
  (context) => ({ context_object: context }),
  (context) => ({ context_object: JSON.stringify(context) }),
  (_, raw) => ({ raw_message_data: { body: raw, httpMethod: "POST" } }),
];

/** What becomes of messages where there are none. */
export const NONE = { found: 0, moved: 0, duplicates: 0, gone: 0, young: 0 };

/** A row of the first conversation, as the seeds stage it. */
export function lean(
  world: World,
  { sid, agoMs, body = "hello" }: { sid: number; agoMs: number; body?: string },
) {
  const received_at = new Date(world.clock.nowMs() - agoMs).toISOString();
  return { conversation_id: "conv-1", message_sid: sidOf(sid), body, received_at };
}

/** All turns that come of what waits, and of what the sweeper finds. */
export async function turnsIn(world: World) {
  const engine = world.engine();
  const turns: Awaited<ReturnType<typeof takeAllTurns>> = [];
  for (let round = 0; round < 3; round += 1) {
    await world.clock.advance(120_000);
    turns.push(...(await takeAllTurns(engine)));
    for (let more = true; more; ) more = (await engine.sweeping.sweep()).hasMore;
  }
  return turns;
}
