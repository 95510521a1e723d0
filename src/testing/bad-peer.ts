import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { systemClock } from "../runtime/system-clock.ts";

/**
 * A peer on the network that accepts a connection and does not answer as it should. Over real TCP, on
 * loopback.
 */
export interface BadPeer {
  readonly url: string;
  /**
   * Resolves when a caller waits in vain: its request is here, and it has all of the answer that there is.
   */
  met(): Promise<void>;
  /** Resolves when no connection is left: a caller that gave up has closed what it opened. */
  left(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How one connection is met, once its first bytes are here. Resolves when the caller has all that it will
 * ever get.
 */
type Meeting = (socket: Socket) => Promise<void>;

/** Accepts, and says nothing. No error ever comes. */
export function silentPeer(): Promise<BadPeer> {
  return badPeer(async () => {});
}

const HEADERS = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
/** Enough of them to deceive a caller that only watches for silence. */
const DRIPS_MET = 3;

/** A byte now and then, without end: no connection is ever idle, and no answer ever whole. */
export function drippingPeer(part: "headers" | "body", everyMs = 1_000): Promise<BadPeer> {
  return badPeer(async (socket) => {
    const drips = Promise.withResolvers<void>();
    let dripped = 0;
    const drip = () => {
      // The caller has enough, or has given up: either way it takes no more.
      if (socket.destroyed) return drips.resolve();
      socket.write(part === "headers" ? "x" : " ");
      dripped += 1;
      if (dripped === DRIPS_MET) drips.resolve();
      systemClock.after(everyMs, drip);
    };
    socket.write(part === "headers" ? `${HEADERS}x-slow: ` : `${HEADERS}content-length: 1000000\r\n\r\n`);
    drip();
    await drips.promise;
  });
}

/** Hangs up in the middle of its answer. */
export function closingPeer(): Promise<BadPeer> {
  return badPeer(async (socket) => {
    socket.end(`${HEADERS}content-length: 1000\r\n\r\n{"half":`);
  });
}

async function badPeer(meet: Meeting): Promise<BadPeer> {
  const sockets = new Set<Socket>();
  let met = Promise.withResolvers<void>();
  let left = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    sockets.add(socket);
    // A caller that gives up resets the connection: that is what is tested.
    socket.on("error", () => {});
    socket.once("data", () => void meet(socket).then(() => met.resolve()));
    socket.once("close", () => {
      sockets.delete(socket);
      if (sockets.size === 0) left.resolve();
    });
    socket.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async met() {
      await met.promise;
      met = Promise.withResolvers();
    },
    async left() {
      while (sockets.size > 0) {
        left = Promise.withResolvers();
        await left.promise;
      }
    },
    close: () => closed(server, sockets),
  };
}

async function closed(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  const over = once(server, "close");
  server.close();
  for (const socket of sockets) socket.destroy();
  await over;
}
