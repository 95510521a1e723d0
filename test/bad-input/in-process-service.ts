import { memory } from "../../src/engines/memory/index.ts";
import { createEdge } from "../../src/http/edge.ts";
import type { EdgeAnswer } from "../../src/http/edge-request.ts";
import type { LogFields } from "../../src/model/log.ts";
import type { Counts } from "../../src/ports/inspector.ts";
import { echo } from "../../src/responders/echo/index.ts";
import type { LullConfig } from "../../src/runtime/config.ts";
import { createService } from "../../src/runtime/create-service.ts";
import { type FakeClock, fakeClock } from "../../src/testing/fake-clock.ts";
import { PUBLIC_URL, SENDERS } from "./senders.ts";

export interface Call {
  readonly method?: string;
  /** Path and query. */
  readonly target: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: Buffer | string;
}

/**
 * The whole product over the memory engine, behind its real edge. Made anew for each try, so that every
 * failure replays.
 */
export interface InProcessService {
  call(call: Call): Promise<EdgeAnswer>;
  counts(): Promise<Counts>;
  readonly clock: FakeClock;
  readonly errors: readonly LogFields[];
  start(): Promise<void>;
  stop(): Promise<void>;
}

const API_TOKEN = "an-api-token-for-tests";
const OURS = {
  host: "localhost",
  authorization: `Bearer ${API_TOKEN}`,
  "content-type": "application/json",
};
const PUBLICLY = { publicUrl: PUBLIC_URL, apiToken: API_TOKEN };

export function inProcessService(
  config: Partial<LullConfig> = {},
  where: Partial<LullConfig> = PUBLICLY,
): InProcessService {
  const clock = fakeClock();
  const errors: LogFields[] = [];
  let count = 0;
  const service = createService({
    engine: memory({ newId: () => `id-${++count}` }),
    channels: Object.fromEntries(SENDERS.map(({ name, channel }) => [name, channel()])),
    respond: echo(),
    ...where,
    clock,
    random: () => 0.5,
    log: (level, event, fields) => {
      if (level === "error") errors.push({ event, ...fields });
    },
    ...config,
  });
  const handle = createEdge(service);
  return {
    clock,
    errors,
    call({ method = "GET", target, headers = {}, body = "" }) {
      const mark = target.indexOf("?");
      const search = mark === -1 ? "" : target.slice(mark);
      const bytes = Buffer.from(body as string);
      return handle({
        method,
        path: mark === -1 ? target : target.slice(0, mark),
        search,
        query: new URLSearchParams(search),
        headers: { ...OURS, ...headers },
        remoteAddress: "127.0.0.1",
        body: async (bytesMax) => (bytes.length > bytesMax ? "too-large" : bytes),
      });
    },
    counts: async () => (await service.engine()).inspector.counts(),
    start: () => service.start(),
    async stop() {
      const stopped = service.stop(0);
      await clock.advance(1);
      await stopped;
    },
  };
}

/** What people look at. Whatever was stored must not keep them from seeing it. */
export const VIEWS = [
  "/api/conversations",
  "/api/locks",
  "/api/dead",
  "/api/unknown",
  "/api/refusals",
  "/api/counts",
  "/readyz",
];
