import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection of which a test decides every byte. */
export interface RawConnection {
  readonly socket: Socket;
  write(text: string): void;
  /** Everything that came, once it matches. */
  until(pattern: RegExp): Promise<string>;
  /** Everything that came, once the other side has closed. */
  closed(): Promise<string>;
}

export async function rawConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, "127.0.0.1");
  let came = "";
  socket.on("data", (chunk) => {
    came += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  await once(socket, "connect");
  return {
    socket,
    write: (text) => void socket.write(text),
    async until(pattern) {
      while (!pattern.test(came)) {
        if (socket.destroyed) throw new Error(`closed before ${pattern} came: ${came}`);
        const listening = new AbortController();
        await Promise.race([once(socket, "data", listening), once(socket, "close", listening)]);
        // The other listener is not needed any longer.
        listening.abort();
      }
      return came;
    },
    async closed() {
      // Not `once` of events: it rejects at a reset, which is a way to close, too.
      if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve));
      return came;
    },
  };
}
