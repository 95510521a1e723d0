import { backup, DatabaseSync } from "node:sqlite";
import type { EngineContext, EngineProvider } from "../../ports/engine.ts";
import { isKnownDead } from "../../process-identity.ts";
import { embeddedEngine } from "../embedded/engine.ts";
import { isRead, type RunStep, type StepName } from "../embedded/steps.ts";
import { openStore, resultOf, type StepRequest, type StoreOptions } from "./store.ts";
import { StoreClient } from "./store-client.ts";

export interface SqliteOptions {
  /** Made if it is not there, with its folder. */
  readonly file: string;
  /** `inline` runs on the caller's thread: for simulations. The default is a thread of its own. */
  readonly writer?: "thread" | "inline";
  /** `off` is for simulations only: a power cut may lose what was acknowledged. */
  readonly synchronous?: "full" | "off";
}

/** The default engine: one file, any number of processes on the machine, nothing to install. */
export function sqlite(options: SqliteOptions): EngineProvider {
  return {
    name: `sqlite ${options.file}`,
    async open(context) {
      const store = await (options.writer === "inline" ? inlineStore : threadedStore)(options, context);
      const run = ((name, input) => store.run(name, input)) as RunStep;
      return embeddedEngine(run, {
        deadAmong: (holders) => holders.filter(isKnownDead),
        // A real write: a full disk or a lost file shows here before a webhook finds out.
        ping: () => run("ping", undefined as never),
        close: store.close,
      });
    },
    async backup(file, onProgress) {
      const database = new DatabaseSync(options.file, { readOnly: true, timeout: 5_000 });
      try {
        await backup(database, file, {
          rate: 1_000,
          progress: ({ totalPages, remainingPages }) => onProgress(totalPages - remainingPages, totalPages),
        });
      } finally {
        database.close();
      }
    },
  };
}

interface OpenStore {
  readonly run: (name: StepName, input: unknown) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

function storeOptions(options: SqliteOptions, context: EngineContext): StoreOptions {
  const { file, synchronous = "full" } = options;
  return { file, synchronous, settings: context.settings, holder: context.workerId };
}

async function inlineStore(options: SqliteOptions, context: EngineContext): Promise<OpenStore> {
  const store = openStore(storeOptions(options, context));
  return {
    async run(name, input) {
      const { replies, armedAtMs } = store.runGroup([{ name, input, nowMs: context.clock.nowMs() }]);
      if (armedAtMs !== undefined) context.onArmed(armedAtMs);
      return resultOf(replies[0]!);
    },
    close: async () => store.close(),
  };
}

/** Writes go to one thread, reads to another: a long list for the console never delays an acknowledgement. */
async function threadedStore(options: SqliteOptions, context: EngineContext): Promise<OpenStore> {
  const { clock, log, onArmed } = context;
  const forWriting = storeOptions(options, context);
  const writer = await StoreClient.open(forWriting, clock, log, onArmed);
  let reader: Promise<StoreClient> | undefined;
  const openReader = () => StoreClient.open({ ...forWriting, readOnly: true }, clock, log, () => {});
  return {
    async run(name, input) {
      const request: StepRequest = { name, input, nowMs: clock.nowMs() };
      if (!isRead(name)) return writer.run(request);
      reader ??= openReader().catch((error) => {
        reader = undefined;
        throw error;
      });
      return (await reader).run(request);
    },
    async close() {
      await writer.close();
      await (await reader)?.close();
    },
  };
}
