import { StoreUnavailable } from "../../errors.ts";
import type { CheckResult } from "../../ports/check-result.ts";
import type { EngineContext, EngineProvider } from "../../ports/engine.ts";
import { isKnownDead } from "../../process/identity.ts";
import { embeddedEngine } from "../embedded/engine.ts";
import { isRead, type StepName, stepClient } from "../embedded/requests.ts";
import type { StrayRow } from "../embedded/tables.ts";
import { backUp } from "./backup.ts";
import { compact } from "./compact.ts";
import { examine } from "./examine.ts";
import { requireOwnLog } from "./own-log.ts";
import { Reader } from "./reader.ts";
import { type GroupReply, openStore, resultOf, type StoreOptions } from "./store.ts";
import { StoreClient } from "./store-client.ts";

export interface SqliteOptions {
  /** Made if it is not there, with its folder. */
  readonly file: string;
  /** `inline` runs on the caller's thread: for simulations. The default is a thread of its own. */
  readonly writer?: "thread" | "inline";
  /** `off` is for simulations only: a power cut may lose what was acknowledged. */
  readonly synchronous?: "full" | "off";
}

function tracesResult(why: string | undefined): CheckResult[] {
  if (why === undefined) return [];
  const detail = `bytes of somebody who was erased may be left in the database's files: ${why}`;
  return [{ check: "erased", verdict: "warn", detail }];
}

/** The default engine: one file, any number of processes on the machine, nothing to install. */
export function sqlite(options: SqliteOptions): EngineProvider {
  return {
    name: `sqlite ${options.file}`,
    async open(context) {
      requireOwnLog(options.file);
      const store = await (options.writer === "inline" ? inlineStore : threadedStore)(options, context);
      const steps = stepClient((name, input) =>
        name === "stage" ? stageSoundly(store, input) : store.run(name, input),
      );
      return embeddedEngine(steps, {
        deadAmong: (holders) => holders.filter(isKnownDead),
        // A real write: a full disk or a lost file shows here before a webhook finds out.
        async ping() {
          await steps.ping();
          const damage = store.damage();
          if (damage !== undefined) throw new StoreUnavailable(damage);
        },
        checks: async () => tracesResult(await steps.tracesLeft()),
        examine: () => examine(options.file),
        close: store.close,
      });
    },
    compact: async () => compact(options.file),
    backup: (file, backupOptions) => backUp(options.file, file, backupOptions),
  };
}

interface OpenStore {
  readonly run: (name: StepName, input: unknown) => Promise<unknown>;
  /** Why the file should not be relied on, even if some of it can be read. */
  readonly damage: () => string | undefined;
  readonly close: () => Promise<void>;
}

/** A file that is known to be damaged will be replaced, with all that it took in since: whoever sends may keep it until then. */
async function stageSoundly(store: OpenStore, requests: unknown): Promise<unknown> {
  const damage = store.damage();
  if (damage !== undefined) throw new StoreUnavailable(damage);
  return store.run("stage", requests);
}

function storeOptions(options: SqliteOptions, context: EngineContext): StoreOptions {
  const { file, synchronous = "full" } = options;
  return { file, synchronous, settings: context.settings, holder: context.workerId };
}

async function inlineStore(options: SqliteOptions, context: EngineContext): Promise<OpenStore> {
  const store = openStore(storeOptions(options, context));
  const run = async (name: StepName, input: unknown) => {
    const reply = store.runGroup([{ name, input, nowMs: context.clock.nowMs() }]);
    ears.heard(reply);
    return resultOf(reply.replies[0]!);
  };
  const ears = listening(context, (strays) => run("quarantine", strays));
  return { run, damage: ears.damage, close: async () => store.close() };
}

/** Writes go to one thread, reads to another: a long list for the console never delays an acknowledgement. */
async function threadedStore(options: SqliteOptions, context: EngineContext): Promise<OpenStore> {
  const { clock, log } = context;
  const forWriting = storeOptions(options, context);
  const write = (name: StepName, input: unknown) => writer.run({ name, input, nowMs: clock.nowMs() });
  const quarantine = (strays: readonly StrayRow[]) => write("quarantine", strays);
  const ears = listening(context, quarantine);
  const readersEars = listening(context, quarantine);
  const reader = new Reader({
    open: (heard) => StoreClient.open({ ...forWriting, readOnly: true }, clock, log, heard),
    heard: readersEars.heard,
    look: () => write("ping", undefined),
    lost: ears.lost,
  });
  const writer = await StoreClient.open(forWriting, clock, log, (reply) => {
    ears.heard(reply);
    if (!reply.reopened) return;
    reader.drop();
    readersEars.forget();
  });
  return {
    run: (name, input) =>
      isRead(name) ? reader.run({ name, input, nowMs: clock.nowMs() }) : write(name, input),
    damage: () => ears.damage() ?? readersEars.damage(),
    async close() {
      // The writer last: only who may write can fold the log into the file when nobody else is left.
      await reader.close();
      await writer.close();
    },
  };
}

/** What comes with a store's replies and is not for one caller alone. */
function listening(
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
    heard(reply: GroupReply): void {
      const { armedAtMs, said = [], strays } = reply;
      latest = reply;
      for (const { level, event, fields } of said) log(level, event, fields);
      // Where they were found nothing can be written. If the writer cannot either just now, they are found again.
      if (strays) void quarantine(strays).catch(() => {});
      if (armedAtMs !== undefined) onArmed(armedAtMs);
    },
  };
}
