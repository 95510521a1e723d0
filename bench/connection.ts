import { connect, type Socket } from "node:net";
import { AnswerReader, type HttpAnswer } from "./answer-reader.ts";

/**
 * One kept-alive connection on a bare socket, with one request at a time. Node's own HTTP client would take
 * more of the machine than most of the servers that are measured with it.
 */
export class Connection {
  readonly #address: { readonly host: string; readonly port: number };
  readonly #reader = new AnswerReader();
  #socket: Socket | undefined;
  #settle: ((answer: HttpAnswer | undefined) => void) | undefined;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.#address = { host: hostname, port: Number(port) };
  }

  /** The answer comes to `settle`; nothing, where the connection broke before it was there. */
  post(request: Buffer, settle: (answer: HttpAnswer | undefined) => void): void {
    this.#settle = settle;
    this.#socket ??= this.#open();
    this.#socket.write(request);
  }

  close(): void {
    this.#socket?.destroy();
  }

  #open(): Socket {
    const socket = connect({ ...this.#address, noDelay: true });
    socket.on("data", (bytes) => {
      const answer = this.#reader.read(bytes);
      if (answer?.closes) this.#drop(socket);
      if (answer !== undefined) this.#end(answer);
    });
    // What went wrong does not matter: `close` follows, and the request is posted again.
    socket.on("error", () => {});
    socket.on("close", () => {
      if (this.#socket !== socket) return;
      this.#drop(socket);
      this.#end(undefined);
    });
    return socket;
  }

  #drop(socket: Socket): void {
    this.#reader.forget();
    this.#socket = undefined;
    socket.destroy();
  }

  #end(answer: HttpAnswer | undefined): void {
    const settle = this.#settle;
    this.#settle = undefined;
    settle?.(answer);
  }
}
