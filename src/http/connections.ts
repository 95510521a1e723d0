import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** On the connection itself: a map from one to the other would be written with every request. */
const USE = Symbol("use");

interface Use {
  /** Grows with every request of any connection. */
  count: number;
  /** The request that has no answer yet. */
  request: IncomingMessage | undefined;
}

type Used = Socket & { [USE]?: Use };

/** Of those that may be open, how many are closed when there are more: looking for them takes a look at all. */
const CLOSED_SHARE = 1 / 20;

/**
 * The open connections. Past the limit those are closed that were used longest ago, and never one that is being answered: strangers who hold
 * connections open shut out each other, and not whoever comes next.
 */
export class Connections {
  readonly #max: number;
  readonly #open = new Set<Used>();
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  opened(socket: Used): void {
    this.#count += 1;
    socket[USE] = { count: this.#count, request: undefined };
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    if (this.#open.size > this.#max) this.#closeSome();
  }

  asked(request: IncomingMessage): void {
    const use = (request.socket as Used)[USE];
    if (use === undefined) return;
    this.#count += 1;
    use.count = this.#count;
    use.request = request;
  }

  /** Not held any longer: what is held from one request to the next is what a garbage collector is slow with. */
  answered(request: IncomingMessage): void {
    const use = (request.socket as Used)[USE];
    if (use?.request === request) use.request = undefined;
  }

  #closeSome(): void {
    // A request that is not whole may never be.
    const idle = [...this.#open].filter((socket) => socket[USE]?.request?.complete !== true);
    idle.sort((a, b) => (a[USE]?.count ?? 0) - (b[USE]?.count ?? 0));
    for (const socket of idle.slice(0, Math.max(1, Math.floor(this.#max * CLOSED_SHARE)))) {
      this.#open.delete(socket);
      socket.destroy();
    }
  }
}
