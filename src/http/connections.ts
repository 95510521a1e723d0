import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";

/** On the connection itself: a map from one to the other would be written with every request. */
const USE = Symbol("use");

interface Use {
  /** Grows with every request of any connection. */
  count: number;
  /** The request whose answer is not out yet. */
  request: IncomingMessage | undefined;
  /** Its answer is made; the rest depends on the caller, who has to read it. */
  isSending: boolean;
  /** The caller sent another request before that. The connection ends with the answer that is owed. */
  isLast: boolean;
}

type Used = Socket & { [USE]?: Use };

/** Share of the open connections to close when there are too many: finding them means a look at all. */
const CLOSED_SHARE = 1 / 20;

/**
 * The open connections, with one request at a time on each. Past the limit, those used longest ago are
 * closed, and never one whose answer is being made: callers who hold connections open, or do not read,
 * shut out each other, not the next one.
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
    socket[USE] = { count: this.#count, request: undefined, isSending: false, isLast: false };
    this.#open.add(socket);
    socket.once("close", () => this.#open.delete(socket));
    if (this.#open.size > this.#max) this.#closeSome();
  }

  /** False when the answer to the request before it is not out yet. */
  asked(request: IncomingMessage): boolean {
    const use = useOf(request);
    if (use === undefined) return true;
    if (use.request !== undefined) {
      use.isLast = true;
      return false;
    }
    this.#count += 1;
    use.count = this.#count;
    use.request = request;
    return true;
  }

  isLast(request: IncomingMessage): boolean {
    return useOf(request)?.isLast === true;
  }

  /** There is an answer, and not all of it is out. */
  sending(request: IncomingMessage): void {
    const use = useOf(request);
    if (use?.request === request) use.isSending = true;
  }

  /** Drops the reference: objects held from one request to the next are slow to collect. */
  answered(request: IncomingMessage): void {
    const use = useOf(request);
    if (use?.request !== request) return;
    use.request = undefined;
    use.isSending = false;
  }

  closeAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #closeSome(): void {
    const idle = [...this.#open].filter(isIdle);
    idle.sort((a, b) => (a[USE]?.count ?? 0) - (b[USE]?.count ?? 0));
    for (const socket of idle.slice(0, Math.max(1, Math.floor(this.#max * CLOSED_SHARE)))) {
      this.#open.delete(socket);
      socket.destroy();
    }
  }
}

function useOf(request: IncomingMessage): Use | undefined {
  return (request.socket as Used)[USE];
}

/** A request that is not whole may never become so, and an answer may never be read. */
function isIdle(socket: Used): boolean {
  const use = socket[USE];
  return use?.request?.complete !== true || use.isSending;
}
