import { memory } from "../engines/memory/index.ts";
import type { Responder } from "../ports/responder.ts";
import type { LullConfig } from "../runtime/config.ts";
import { createService } from "../runtime/create-service.ts";
import type { Service } from "../runtime/service.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";
import { type TestChannel, testChannel } from "./test-channel.ts";
import { testMessage, testWebhook } from "./test-webhook.ts";

export type TestLullConfig = Partial<Omit<LullConfig, "channels" | "clock">> & {
  readonly respond: Responder;
};

export interface TestLull {
  /** A message from that person, as if a webhook had brought it. Resolves when it is acknowledged. */
  receive(from: string, text: string, id?: string): Promise<number>;
  /** Lets time pass: windows close, turns run, replies go out. */
  advance(ms: number): Promise<void>;
  /** Resolves when so many replies were sent: for a responder that asks a server, such as a fake one. */
  whenSent(count: number): Promise<void>;
  /** What the customers were sent so far, in order. */
  readonly sent: readonly { readonly to: string; readonly text: string }[];
  readonly clock: FakeClock;
  readonly channel: TestChannel;
  readonly service: Service;
  stop(): Promise<void>;
}

/** The real product with a clock you move and a channel you can read: for tests of your own responder. */
export function testLull(config: TestLullConfig): TestLull {
  const clock = fakeClock();
  const channel = testChannel();
  const service = createService({
    engine: memory(),
    log: () => {},
    random: () => 0.5,
    ...config,
    channels: { test: channel },
    clock,
  });
  let started: Promise<void> | undefined;
  let count = 0;
  const start = () => {
    started ??= service.start();
    return started;
  };
  return {
    clock,
    channel,
    service,
    async receive(from, text, id) {
      await start();
      count += 1;
      const message = testMessage({ providerId: id ?? `m${count}`, sender: from, text });
      return (await service.receive("test", testWebhook(message))).status;
    },
    async advance(ms) {
      await start();
      await clock.advance(ms);
    },
    whenSent: (count) => channel.whenSent(count),
    get sent() {
      return channel.outbox.map(({ to, text }) => ({ to, text }));
    },
    async stop() {
      const stopped = service.stop(0);
      // Its grace is over at once, but "at once" is a time on this clock too.
      await clock.advance(1);
      await stopped;
    },
  };
}
