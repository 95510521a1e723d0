import type { ConversationStatus } from "../../model/conversation.ts";
import type { GivenSettings, Settings } from "../../model/settings.ts";
import type { TakeOutcome } from "../../model/take.ts";
import type { Engine } from "../../ports/engine.ts";
import type { FakeClock } from "../fake-clock.ts";

/**
 * One promise of the protocol, as a test without a test runner. It throws when the engine does not keep it.
 */
export interface EngineCase {
  readonly title: string;
  run(harness: EngineHarness): Promise<void>;
}

/** How the cases get at an engine. */
export interface EngineHarness {
  /** A store of its own for every case, with these settings over the defaults. */
  fixture(settings?: Partial<GivenSettings>): Promise<EngineFixture>;
  /** Cases that do not hold for this engine, each with its reason. */
  readonly skips?: readonly Skip[];
}

export interface Skip {
  readonly title: string;
  readonly because: string;
}

export type SpoiltWhat = "state" | "staged" | "conversation";

/**
 * `unreadable`: it is no value of ours at all. `foreign`: it can be read, and its fields have other types.
 */
export const SPOILT_HOW = ["unreadable", "foreign"] as const;
export type SpoiltHow = (typeof SPOILT_HOW)[number];

/** What a case does to the store behind the engine's back. A test leaves out what its store cannot do. */
export interface BehindItsBack {
  /** Removes window and lease behind the engine's back: no worker will look at what is staged. */
  strand?(conversationId: string): Promise<void>;
  /** Replaces one of our rows behind the engine's back; of a conversation's staged rows, the oldest. */
  spoil?(conversationId: string, what: SpoiltWhat, how: SpoiltHow): Promise<void>;
  /**
   * Writes the status of a conversation's record behind the engine's back, and nothing else of it, as a
   * system does that takes the status for a lock. With a time, the record was changed then.
   */
  says?(conversationId: string, status: ConversationStatus, updatedAtMs?: number): Promise<void>;
  /**
   * All bytes of all that the store keeps, for a search: files as they are, every row of every table,
   * triggers on their way.
   */
  keeps?(): Promise<string>;
  /**
   * Loses the triggers of a conversation; its window stands. Where the window is the trigger, none is lost.
   */
  loseTriggers?(conversationId: string): Promise<void>;
  /** Removes what the store itself removes once its time is over, such as DynamoDB's TTL. */
  collectExpired?(): Promise<void>;
}

/** One store, and as many workers on it as a case opens. */
export interface EngineFixture extends BehindItsBack {
  readonly clock: FakeClock;
  /** The settings in force. */
  readonly settings: Settings;
  /** One more worker on the same store. */
  open(holder?: string): Promise<Engine>;
  /**
   * What a worker finds to do now. Here and not on the engine alone: an engine's triggers may wait in a
   * queue.
   */
  takeDue(engine: Engine, max?: number): Promise<TakeOutcome[]>;
  /** The same, for a `takeDue` that first does a part of the sweeper's work: without that part. */
  woken?(engine: Engine): Promise<TakeOutcome[]>;
  /**
   * One more worker, and what happens before each of its requests to the store. If that fails, the worker is
   * dead: no request of its gets through any more. Where a step is one request, nothing comes in between.
   */
  openWatched?(holder: string, beforeRequest: () => Promise<void>): Promise<Engine>;
  /** Sets every worker's clock back. A timer that is running still runs as long. */
  setClockBack(ms: number): void;
  close(): Promise<void>;
}
