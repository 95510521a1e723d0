import { web } from "../../src/channels/web/index.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { serve } from "../../src/http/node.ts";
import { createLull } from "../../src/index.ts";
import type { Responder } from "../../src/ports/responder.ts";
import { fakeClock } from "../../src/testing/fake-clock.ts";

export const WINDOW_MS = 10_000;

/** A service whose windows close when a test says so, and whose answers and sends end as it wants. */
export interface Stage {
  readonly url: string;
  respond: Responder;
  /** Whether the provider says what became of a reply. */
  saysWhetherSent: boolean;
  passes(ms: number): Promise<void>;
  close(): Promise<void>;
}

export async function openStage(options: { showsReasons: boolean }): Promise<Stage> {
  const clock = fakeClock();
  const channel = web();
  const { send } = channel;
  const unsure = { kind: "unknown", why: "the line broke" } as const;
  const sendOrNot: typeof send = async (...outgoing) => (stage.saysWhetherSent ? send(...outgoing) : unsure);
  // Who cannot be asked, says no more.
  Object.assign(channel, { send: sendOrNot, reconcile: undefined });
  const lull = createLull(
    {
      engine: memory(),
      channels: { web: channel },
      window: { seconds: WINDOW_MS / 1_000 },
      limits: { settleSeconds: 0 },
      clock,
      respond: (turn) => stage.respond(turn),
      log: () => {},
    },
    options,
  );
  const serving = await serve(lull, { port: 0 });
  const stage: Stage = {
    url: serving.url,
    respond: ({ messages }) => `heard ${messages.length}`,
    saysWhetherSent: true,
    passes: (ms) => clock.advance(ms),
    close: () => serving.close(0),
  };
  return stage;
}
