import { StoreUnavailable } from "../../errors.ts";
import type { CheckResult } from "../../ports/check-result.ts";
import type { EngineContext, EngineProvider } from "../../ports/engine.ts";
import { isKnownDead } from "../../process/identity.ts";
import { embeddedEngine } from "../embedded/engine.ts";
import { isRead, type StepClient, type StepName } from "../embedded/requests.ts";
import { type AskStep, stepClient } from "../embedded/step-client.ts";
import type { StrayRow } from "../embedded/tables.ts";
import { backUp } from "./backup.ts";
import { compact } from "./compact.ts";
import { examine } from "./examine.ts";
import { groupText } from "./group-text.ts";
import { requireOwnLog } from "./own-log.ts";
import { Reader } from "./reader.ts";
import { restore } from "./restore.ts";
import type { TimedRequest } from "./step-request.ts";
import { type GroupReply, openStore, resultOf, type Store, type StoreOptions } from "./store.ts";
import { StoreClient } from "./store-client.ts";

export interface SqliteOptions {
  /** Created if it is absent, with its folder. */
  readonly file: string;
  /** `inline` runs on the caller's thread: for simulations. The default is a thread of its own. */
  readonly writer?: "thread" | "inline";
  /** `off` is for simulations only: a power cut may lose what was acknowledged. */
  readonly synchronous?: "full" | "off";
}

function tracesResult(why: string | undefined): CheckResult[] {
  if (why === undefined) return [];
  const detail = `bytes of an erased person may be left in the database's files: ${why}`;
  return [{ check: "erased", verdict: "warn", detail }];
}

/** The default engine: one file, any number of processes on the machine, nothing to install. */
export function sqlite(options: SqliteOptions): EngineProvider {
  return {
    name: `sqlite ${options.file}`,
    async open(context) {
      requireOwnLog(options.file);
      const store = await (options.writer === "inline" ? inlineStore : threadedStore)(options, context);
      const steps = stepClient(store.ask);
      return embeddedEngine(
        { ...steps, stage: stageSoundly(steps.stage, store.damage) },
        {
          deadAmong: (holders) => holders.filter(isKnownDead),
          // A real write: it notices a full disk or a lost file before a webhook does.
          async ping() {
            await steps.ping();
            const damage = store.damage();
            if (damage !== undefined) throw new StoreUnavailable(damage);
          },
          checks: async () => tracesResult(await steps.tracesLeft()),
          examine: () => examine(options.file),
          close: store.close,
        },
      );
    },
    compact: async () => compact(options.file),
    backup: (file, backupOptions) => backUp(options.file, file, backupOptions),
    restore: (file, restoreOptions) => restore(options.file, file, restoreOptions),
  };
}

interface OpenStore {
  readonly ask: AskStep;
  /** Why the file should not be relied on, even if some of it can be read. */
  readonly damage: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** A damaged file will be replaced, with all that came in since: the provider keeps its message. */
function stageSoundly(stage: StepClient["stage"], damage: OpenStore["damage"]): StepClient["stage"] {
  return async (requests) => {
    const why = damage();
    if (why !== undefined) throw new StoreUnavailable(why);
    return stage(requests);
  };
}

function storeOptions(options: SqliteOptions, context: EngineContext): StoreOptions {
  const { file, synchronous = "full" } = options;
  return { file, synchronous, settings: context.settings, holder: context.holder };
}

/**
 * What goes in and comes out is a copy, as with a thread: the store keeps rows, and what a caller changes in
 * its own must not be changed in them.
 */
function acrossLikeThreads(store: Store, request: TimedRequest): GroupReply {
  const group = JSON.parse(JSON.stringify([request])) as TimedRequest[];
  return JSON.parse(groupText(store.runGroup(group))) as GroupReply;
}

async function inlineStore(options: SqliteOptions, context: EngineContext): Promise<OpenStore> {
  const store = openStore(storeOptions(options, context));
  const ask: AskStep = (name) => async (input) => {
    // A group holds requests of any name; the compiler does not see that this is one of them.
    const request = { name, input, nowMs: context.clock.nowMs() } as TimedRequest;
    const reply = acrossLikeThreads(store, request);
    replies.note(reply);
    return resultOf<typeof name>(reply.replies[0]!);
  };
  const replies = replyNotes(context, ask("quarantine"));
  return { ask, damage: replies.damage, close: async () => store.close() };
}

/**
 * Every start and every sweep make these short reads. On the writer's thread they spare a service whose lists
 * are not asked for the reader's thread, and its 15 MB.
 */
const READ_BY_THE_WRITER = new Set<StepName>(["holders", "tracesLeft"]);

/** Writes go to one thread, reads to another: a long list for the console never delays an acknowledgement. */
async function threadedStore(options: SqliteOptions, context: EngineContext): Promise<OpenStore> {
  const { clock, log } = context;
  const forWriting = storeOptions(options, context);
  const write: AskStep = (name) => (input) => writer.run({ name, input, nowMs: clock.nowMs() });
  const read: AskStep = (name) => (input) => reader.run({ name, input, nowMs: clock.nowMs() });
  const quarantine = write("quarantine");
  const writerReplies = replyNotes(context, quarantine);
  const readerReplies = replyNotes(context, quarantine);
  const reader = new Reader({
    open: (onReply) => StoreClient.open({ ...forWriting, readOnly: true }, clock, log, onReply),
    onReply: readerReplies.note,
    look: () => write("ping")(undefined),
    lost: writerReplies.lost,
  });
  const writer = await StoreClient.open(forWriting, clock, log, (reply) => {
    writerReplies.note(reply);
    if (!reply.reopened) return;
    reader.drop();
    readerReplies.forget();
  });
  return {
    ask: (name) => (isRead(name) && !READ_BY_THE_WRITER.has(name) ? read : write)(name),
    damage: () => writerReplies.damage() ?? readerReplies.damage(),
    async close() {
      // The writer last: only a connection that may write can fold the log into the file when it is the last.
      await reader.close();
      await writer.close();
    },
  };
}

/** What comes with a store's replies and is not for one caller alone. */
function replyNotes(
  { log, onArmed }: EngineContext,
  quarantine: (strays: readonly StrayRow[]) => Promise<unknown>,
) {
  let latest: Pick<GroupReply, "damage" | "lost"> = {};
  return {
    damage: () => latest.damage,
    lost: () => latest.lost,
    forget(): void {
      latest = {};
    },
    note(reply: GroupReply): void {
      const { armedAtMs, said = [], strays } = reply;
      latest = reply;
      for (const { level, event, fields } of said) log(level, event, fields);
      // The reader that found them cannot write. If the writer cannot either just now, they are found again.
      if (strays) void quarantine(strays).catch(() => {});
      if (armedAtMs !== undefined) onArmed(armedAtMs);
    },
  };
}
