import { StoreUnavailable } from "../../errors.ts";
import type { StepName, StepResult } from "../embedded/requests.ts";
import type { TimedRequest } from "./step-request.ts";
import type { GroupReply } from "./store.ts";
import type { StoreClient } from "./store-client.ts";

export interface ReaderOptions {
  readonly open: (onReply: (reply: GroupReply) => void) => Promise<StoreClient>;
  readonly onReply: (reply: GroupReply) => void;
  /** Makes the writer check the file. */
  readonly look: () => Promise<unknown>;
  /** Why the writer has no usable file. */
  readonly lost: () => string | undefined;
}

/** A read-only connection, opened when first needed, and anew when the writer has opened another file. */
export class Reader {
  readonly #options: ReaderOptions;
  #client: Promise<StoreClient> | undefined;
  #dropped: Promise<unknown> = Promise.resolve();
  #looked: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  async run<N extends StepName>(request: TimedRequest<N>): Promise<StepResult<N>> {
    await this.#looked;
    // Never opens the file that is there now: it may be half copied, or have another file's log beside it.
    const lost = this.#options.lost();
    if (lost !== undefined) throw new StoreUnavailable(lost);
    if (this.#isClosed) throw new StoreUnavailable("the database is closed");
    return (await this.#opened()).run(request);
  }

  /** The next read opens the file that is there then. */
  drop(): void {
    const closing = this.#client?.then(
      (client) => client.close(),
      () => {},
    );
    this.#client = undefined;
    this.#dropped = Promise.all([this.#dropped, closing]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.drop();
    await this.#dropped;
  }

  #opened(): Promise<StoreClient> {
    if (this.#client) return this.#client;
    const opening = this.#options.open((reply) => this.#note(reply, opening));
    this.#client = opening;
    opening.catch(() => {
      if (this.#client === opening) this.#client = undefined;
    });
    return opening;
  }

  /** The reader cannot know whether the writer has noticed it as well, or already has another file open. */
  #note(reply: GroupReply, from: Promise<StoreClient>): void {
    this.#options.onReply(reply);
    if (reply.lost === undefined || this.#client !== from) return;
    this.drop();
    this.#looked = this.#options.look().catch(() => {});
  }
}
