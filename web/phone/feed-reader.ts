import type { Feed } from "../../src/http/feed-shape.ts";
import type { ServiceClock } from "../shared/service-clock.ts";
import type { Connection } from "./connection.ts";
import { joinFeed, type KnownFeed } from "./known-feed.ts";
import { assignTurns, noteArrivals } from "./message-log.ts";
import { unansweredIds } from "./timeline.ts";
import type { VisitorStore } from "./visitor-store.ts";

const ACTIVE_MS = 400;
const IDLE_MS = 2_500;
const HIDDEN_MS = 15_000;
const LOST_MS = 1_500;
/** A message that no turn has taken in this time is not asked after so often any more. */
const PATIENCE_MS = 180_000;

interface Parts {
  readonly visitors: VisitorStore;
  readonly connection: Connection;
  readonly clock: ServiceClock;
  isHidden(): boolean;
  changed(): void;
}

/** The way back: what the service says of the visitor's conversations, asked again and again. */
export class FeedReader {
  /** The latest question got no answer. */
  failed = false;
  readonly #parts: Parts;
  readonly #known = new Map<string, KnownFeed>();
  #isPolling = false;
  #stopTimer = () => {};

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Those that are known, oldest first. */
  feeds(): KnownFeed[] {
    return this.#parts.visitors.current.conversations.flatMap((id) => this.#known.get(id) ?? []);
  }

  current(): KnownFeed | undefined {
    return this.#known.get(this.#currentId());
  }

  forget(): void {
    this.#known.clear();
  }

  async poll(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    this.#stopTimer();
    this.failed = await this.#readAll().then(
      () => false,
      () => true,
    );
    this.#isPolling = false;
    this.#parts.changed();
    this.#stopTimer();
    this.#stopTimer = this.#parts.clock.after(this.#pauseMs(), () => void this.poll());
  }

  #currentId(): string {
    return this.#parts.visitors.current.conversations.at(-1) ?? "";
  }

  #pauseMs(): number {
    if (this.#parts.isHidden()) return HIDDEN_MS;
    if (this.failed) return LOST_MS;
    return this.#isActive() ? ACTIVE_MS : IDLE_MS;
  }

  /** Something is on its way: a window, a turn, or a message that no turn has taken yet. */
  #isActive(): boolean {
    const feed = this.current();
    if (feed && feed.state !== "idle") return true;
    const nowMs = this.#parts.clock.serviceNowMs();
    const failed = unansweredIds(feed ? [feed] : []);
    return this.#parts.visitors.current.log.some(
      ({ id, state, turn, at }) => state === "acked" && !turn && !failed.has(id) && nowMs - at < PATIENCE_MS,
    );
  }

  /** Older conversations are read once; the current one again and again. */
  async #readAll(): Promise<void> {
    const { conversations, log } = this.#parts.visitors.current;
    const asked = conversations.filter((id) => id === this.#currentId() || !this.#known.has(id));
    // The first acknowledgement got lost, and the id with it: the service knows the visitor's conversation.
    if (asked.length === 0 && log.some(({ state }) => state === "acked")) asked.push("");
    for (const id of asked) await this.#read(id);
  }

  async #read(id: string): Promise<void> {
    const { visitors, connection, clock } = this.#parts;
    const before = this.#known.get(id);
    const { visitor } = visitors.current;
    const query = new URLSearchParams({ sender: visitor, after: String(before?.last ?? 0) });
    if (id !== "") query.set("conversation", id);
    const askedAtMs = clock.nowMs();
    const response = await connection.feed(query);
    if (response.status === 404 || response.status === 401) return;
    if (!response.ok) throw new Error(`feed ${response.status}`);
    const feed = (await response.json()) as Feed;
    // Meanwhile the visitor may have started over.
    if (visitor !== visitors.current.visitor) return;
    clock.learn(feed.now, askedAtMs);
    if (id === "") visitors.rememberConversation(feed.conversation);
    this.#takeIn(feed, before);
  }

  #takeIn(feed: Feed, before: KnownFeed | undefined): void {
    const { visitors, clock } = this.#parts;
    this.#known.set(feed.conversation, joinFeed(before, feed, clock.serviceNowMs()));
    noteArrivals(visitors.current.log, feed.waiting);
    assignTurns(visitors.current.log, feed.turns);
    visitors.save();
  }
}
