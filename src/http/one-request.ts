import { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Connections } from "./connections.ts";

/**
 * Requests of which each connection has one at a time. Node takes apart whatever one read brought, thousands of requests if they are small, and
 * holds all of them and their answers. The one way to make its parser stop in the middle is a request after which the connection speaks another
 * protocol: so that is what a request says of itself that comes before its turn. Node lets go of the connection then, and tells `upgrade`.
 */
export function oneRequest(connections: Connections): typeof IncomingMessage {
  return class OneRequest extends IncomingMessage {
    readonly #isEarly: boolean;

    constructor(socket: Socket) {
      super(socket);
      this.#isEarly = !connections.asked(this);
    }

    /** Otherwise we speak HTTP/1.1 with everybody, whatever they would rather speak. */
    get upgrade(): boolean {
      return this.#isEarly || this.method === "CONNECT";
    }

    /** Node says here what the caller would rather speak. */
    set upgrade(_asked: unknown) {}
  };
}

/** What still comes after a request that came before its turn is read, and dropped: a connection that is closed with something unread would take the last answer with it. */
export function dropRest(socket: {
  on(event: "error", listener: () => void): unknown;
  resume(): unknown;
}): void {
  // Node has let go of it, and with it of the listener for its errors.
  socket.on("error", () => {});
  socket.resume();
}
