import { randomId } from "../shared/random-id.ts";
import { mergeLog } from "./message-log.ts";
import { type Accepts, isVisitor, newVisitor, type Visitor, visitorFrom } from "./visitor.ts";

const LOG_MAX = 300;
const CONVERSATIONS_MAX = 5;

/** The part of a browser's `localStorage` that is used. */
export interface KeyValues {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}
interface Surroundings {
  readonly channel: string;
  /** The channel asks no visitor for a proof. */
  readonly isUnsigned: boolean;
  /** Asked for anew each time: a private window may refuse the storage itself. */
  storage(): KeyValues;
  /** What stands behind the page's address, from the `#` on. */
  hash(): string;
  /**
   * The link has been read, and its visitor is kept: it need not stay in the address, to be copied or seen.
   */
  forgetLink(): void;
  readonly accepts: Accepts;
}

/** Keeps the visitor in the browser: a reload, or a service that is away, loses nothing. */
export class VisitorStore {
  readonly key: string;
  current: Visitor;
  readonly #surroundings: Surroundings;
  /** In private mode there may be no storage: then the tab's memory has to do. */
  #memory: Visitor | undefined;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.key = `lull.phone.${surroundings.channel}`;
    this.current = this.load();
    if (this.#keep()) surroundings.forgetLink();
  }

  /** What is kept now: another tab may have changed it. */
  load(): Visitor {
    return visitorFrom(this.#kept(), this.#link(), this.#surroundings.accepts);
  }

  /** Another tab of the visitor may have written meanwhile: what it knows is taken in, never overwritten. */
  save(): void {
    const kept = this.#kept();
    if (kept?.visitor === this.current.visitor) takeIn(this.current, kept);
    this.#keep();
  }

  /** Forgets the visitor, and keeps a new one instead. */
  startOver(): void {
    this.current = newVisitor(this.#link());
    this.#keep();
  }

  addMessage(text: string, at: number): void {
    const { log } = this.current;
    // The log is in order of time, and a clock that was ahead may just have been put right.
    const inOrder = Math.max(at, (log.at(-1)?.at ?? 0) + 1);
    log.push({ id: randomId("m-"), text, at: inOrder, state: "waiting" });
    this.save();
  }

  rememberConversation(id: string | undefined): void {
    const { conversations } = this.current;
    if (!id || conversations.at(-1) === id) return;
    const others = conversations.filter((each) => each !== id);
    this.current.conversations = [...others, id].slice(-CONVERSATIONS_MAX);
  }

  /** Where no proof is looked at, any word passes for one: the maker of a link would read along. */
  #link(): string {
    const { isUnsigned, hash } = this.#surroundings;
    return isUnsigned ? "" : hash();
  }

  #kept(): Visitor | undefined {
    try {
      const value: unknown = JSON.parse(this.#surroundings.storage().getItem(this.key) ?? "null");
      return isVisitor(value) ? value : undefined;
    } catch {
      return this.#memory;
    }
  }

  /** False where only this tab's memory has it. */
  #keep(): boolean {
    const { log } = this.current;
    log.splice(0, log.length - LOG_MAX);
    this.#memory = this.current;
    try {
      this.#surroundings.storage().setItem(this.key, JSON.stringify(this.current));
      return true;
    } catch {
      return false;
    }
  }
}

function takeIn(visitor: Visitor, { log, conversations }: Visitor): void {
  mergeLog(visitor.log, log);
  for (const id of conversations) {
    if (!visitor.conversations.includes(id)) visitor.conversations.unshift(id);
  }
}
