import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sqlite } from "../../src/engines/sqlite/index.ts";
import { createLull, type Lull } from "../../src/index.ts";
import type { Responder } from "../../src/ports/responder.ts";
import { type TestChannel, testChannel } from "../../src/testing/test-channel.ts";
import { typed } from "../typed-command.ts";

/** A service on a file, and an operator who has its commands and its API. */
export interface Desk {
  readonly lull: Lull;
  readonly channel: TestChannel;
  /** Without an alias, the person writes with nothing but this name. */
  write(sender: string, text: string, senderAlias?: string, address?: string): Promise<void>;
  /** A command, as the operator types it. */
  type(...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>;
  /** Another program writes to the file. */
  spoil(statement: string): void;
  close(): Promise<void>;
}

interface At {
  readonly handOffTo?: Responder;
  /** That commands are given. */
  readonly env?: Record<string, string>;
}

export async function desk(respond: Responder, { handOffTo, env = {} }: At = {}): Promise<Desk> {
  const cwd = await mkdtemp(join(tmpdir(), "lull-desk-"));
  const channel = testChannel();
  const lull = createLull({
    engine: sqlite({ file: join(cwd, "lull.db") }),
    channels: { test: channel },
    window: { seconds: 0 },
    limits: { settleSeconds: 0 },
    respond,
    ...(handOffTo && { handOffTo }),
    log: () => {},
  });
  await lull.start();
  let count = 0;
  return {
    lull,
    channel,
    async write(sender, text, senderAlias, address = "lull") {
      count += 1;
      const names = senderAlias === undefined ? { sender } : { sender, senderAlias };
      const message = { ...names, replyTo: senderAlias ?? sender, providerId: `p${count}`, text };
      const body = Buffer.from(JSON.stringify([{ account: "a", address, media: [], ...message }]));
      await lull.receive("test", { method: "POST", url: "http://x/", headers: {}, body });
    },
    type: (...args) => typed([...args, "--db", join(cwd, "lull.db")], { cwd, env }),
    spoil(statement) {
      const file = new DatabaseSync(join(cwd, "lull.db"));
      file.exec(statement);
      file.close();
    },
    async close() {
      await lull.stop(0);
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
