import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { Child } from "./child.ts";
import { sleep } from "./clock.ts";

export interface Redis {
  readonly child: Child;
  readonly socket: string;
}

/** Its version where this machine has one. */
export async function redisVersion(): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("redis-server", ["--version"]);
    return /v=([\d.]+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

/** As durable as it can be: every write is on the disk before it is answered. No snapshots beside it. */
export async function startRedis(folder: string): Promise<Redis> {
  const socket = join(folder, "redis.sock");
  const settings = {
    port: "0",
    unixsocket: socket,
    appendonly: "yes",
    appendfsync: "always",
    save: "",
    dir: folder,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const child = new Child("redis-server", args, { folder });
  await child.printed(/(Ready to accept connections|ready to accept connections)/);
  while (!(await answers(socket))) await sleep(5);
  return { child, socket };
}

/** It accepts connections before it has read what it wrote; it answers when it has. */
async function answers(path: string): Promise<boolean> {
  const socket = connect({ path });
  try {
    await once(socket, "connect");
    socket.write("PING\r\n");
    const [reply] = (await once(socket, "data")) as [Buffer];
    return reply.toString().startsWith("+PONG");
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
