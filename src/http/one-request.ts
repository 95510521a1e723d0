import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Connections } from "./connections.ts";

/**
 * Requests of which each connection has one at a time. Node parses whatever one read brought, thousands of
 * requests if they are small, and holds all of them and their answers. Its parser stops half-way only for a
 * request after which the connection speaks another protocol, so a request that comes too early claims to be
 * one. Node then lets go of the connection and raises `upgrade`.
 */
export function oneRequest(connections: Connections): typeof IncomingMessage {
  return class OneRequest extends IncomingMessage {
    readonly #isEarly: boolean;

    constructor(socket: Socket) {
      super(socket);
      this.#isEarly = !connections.asked(this);
    }

    /**
     * For every other request this is false: we speak only HTTP/1.1, even if the caller would rather upgrade.
     */
    get upgrade(): boolean {
      return this.#isEarly || this.method === "CONNECT";
    }

    /** Node sets what the caller asked to upgrade to; it is ignored. */
    set upgrade(_asked: unknown) {}
  };
}

/**
 * The rest after a request that came too early is read and dropped: a connection closed with something unread
 * would lose the last answer.
 */
export function dropRest(socket: {
  on(event: "error", listener: () => void): unknown;
  resume(): unknown;
}): void {
  // Node has let go of the socket, and of its error listener.
  socket.on("error", () => {});
  socket.resume();
}
