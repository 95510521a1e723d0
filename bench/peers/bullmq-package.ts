/**
 * What is used of BullMQ and of its Redis client. Their own types are installed with them, which the
 * project's compiler has to do without: a checkout is checked before the bench first ran.
 */
export interface RedisClient {
  defineCommand(name: string, script: { numberOfKeys: number; lua: string }): void;
  lrange(key: string, first: number, last: number): Promise<string[]>;
  ltrim(key: string, first: number, last: number): Promise<unknown>;
  config(get: "GET", name: string): Promise<string[]>;
}

export interface StagingClient extends RedisClient {
  stage(rememberedKey: string, stagedKey: string, text: string): Promise<number>;
}

export interface JobOptions {
  readonly delay: number;
  readonly deduplication: { readonly id: string; readonly keepLastIfActive: boolean };
  readonly removeOnComplete: boolean;
}

export interface BullMqPackage {
  readonly Queue: new (
    name: string,
    options: { connection: RedisClient },
  ) => { add(name: string, data: { from: string }, options: JobOptions): Promise<unknown> };
  readonly Worker: new (
    name: string,
    work: (job: { readonly data: { readonly from: string } }) => Promise<void>,
    options: {
      readonly connection: RedisClient;
      readonly concurrency: number;
      readonly lockDuration: number;
      readonly stalledInterval: number;
    },
  ) => {
    on(event: "error" | "failed", listener: (...what: unknown[]) => void): unknown;
    waitUntilReady(): Promise<unknown>;
  };
}

export interface IoRedisPackage {
  readonly Redis: new (options: { path: string; maxRetriesPerRequest: null }) => StagingClient;
}

/** Not named where the compiler looks for it. */
export async function installed<T>(name: string): Promise<T> {
  return (await import(name)) as T;
}
