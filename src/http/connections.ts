import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * The open connections. Past the limit the one that was used longest ago is closed, and never one that is being answered: strangers who hold
 * connections open shut out each other, and not whoever comes next.
 */
export class Connections {
  readonly #max: number;
  /** In the order of their last request, or of their opening where there was none; with the answer that was last asked for. */
  readonly #last = new Map<Socket, ServerResponse | undefined>();

  constructor(max: number) {
    this.#max = max;
  }

  opened(socket: Socket): void {
    this.#last.set(socket, undefined);
    socket.once("close", () => this.#last.delete(socket));
    if (this.#last.size > this.#max) this.#closeOne();
  }

  asked(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null || !this.#last.delete(socket)) return;
    this.#last.set(socket, response);
  }

  #closeOne(): void {
    for (const [socket, response] of this.#last) {
      if (response !== undefined && isBeingAnswered(response)) continue;
      this.#last.delete(socket);
      socket.destroy();
      return;
    }
  }
}

/** A request that is not whole may never be. */
function isBeingAnswered(response: ServerResponse): boolean {
  return response.req.complete && !response.writableEnded;
}
