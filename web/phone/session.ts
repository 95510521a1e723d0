import { type Clock, createServiceClock, type ServiceClock } from "../shared/service-clock.ts";
import { createConnection } from "./connection.ts";
import { FeedReader } from "./feed-reader.ts";
import { mergeLog, unsent } from "./message-log.ts";
import { Outbox } from "./outbox.ts";
import { type View, viewOf } from "./view.ts";
import { type KeyValues, VisitorStore } from "./visitor-store.ts";

/** What a browser gives. */
export interface Surroundings {
  /** The page's own address. */
  readonly base: string;
  readonly channel: string;
  /** The channel asks no visitor for a proof. */
  readonly isUnsigned: boolean;
  readonly clock: Clock;
  storage(): KeyValues;
  /** What stands behind the page's address, from the `#` on. */
  hash(): string;
  forgetLink(): void;
  /** Whether to go on as the visitor of a link, instead of the one that was kept. */
  readonly accepts: (linked: string, kept: string) => boolean;
  isHidden(): boolean;
  /** There may be something new to show. */
  changed(): void;
}

/** A visitor's side of the talk, without the screen: what is said, what comes back, what there is to see. */
export class Session {
  readonly #clock: ServiceClock;
  readonly #visitors: VisitorStore;
  readonly #reader: FeedReader;
  readonly #outbox: Outbox;
  readonly #changed: () => void;

  constructor(surroundings: Surroundings) {
    const { base, channel, clock, isHidden, changed } = surroundings;
    this.#changed = changed;
    this.#clock = createServiceClock(clock);
    this.#visitors = new VisitorStore(surroundings);
    const signature = () => this.#visitors.current.signature;
    const connection = createConnection({ base, channel, clock, signature });
    const parts = { visitors: this.#visitors, connection, clock: this.#clock, changed };
    this.#reader = new FeedReader({ ...parts, isHidden });
    this.#outbox = new Outbox({ ...parts, answered: () => this.#answered() });
    this.#visitors.save();
  }

  /** Under which key the browser keeps the visitor. */
  get key(): string {
    return this.#visitors.key;
  }

  get visitor(): string {
    return this.#visitors.current.visitor;
  }

  /** Proven by a link: there is no other to become without one. */
  get isSigned(): boolean {
    return this.#visitors.current.signature !== "";
  }

  get hasUnsent(): boolean {
    return unsent(this.#visitors.current.log).length > 0;
  }

  /** Counts down to the next try, whether it is looked at or not. */
  get isRetrying(): boolean {
    return this.#outbox.retryAtMs > 0;
  }

  view(): View {
    return viewOf({
      log: this.#visitors.current.log,
      feeds: this.#reader.feeds(),
      current: this.#reader.current(),
      feedFailed: this.#reader.failed,
      retryAtMs: this.#outbox.retryAtMs,
      nowMs: this.#clock.nowMs(),
      serviceNowMs: this.#clock.serviceNowMs(),
    });
  }

  say(text: string): void {
    this.#visitors.addMessage(text, this.#clock.serviceNowMs());
    this.#changed();
    void this.#outbox.send();
  }

  /** Reads and sends what there is, now. */
  catchUp(): void {
    void this.#reader.poll();
    void this.#outbox.send();
  }

  startOver(): void {
    this.#forgetConversations();
    this.#visitors.startOver();
  }

  /** Another tab wrote something: the same visitor's messages, or those of another one. */
  followOtherTab(): void {
    const theirs = this.#visitors.load();
    const { visitor, log } = this.#visitors.current;
    if (theirs.visitor === visitor) mergeLog(log, theirs.log);
    else {
      this.#forgetConversations();
      this.#visitors.current = theirs;
    }
  }

  #answered(): void {
    this.#changed();
    void this.#reader.poll();
  }

  #forgetConversations(): void {
    this.#outbox.reset();
    this.#reader.forget();
  }
}
