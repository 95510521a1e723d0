import { randomUUID } from "node:crypto";
import { StoreUnavailable } from "../../errors.ts";
import type { LogFields, LogLevel } from "../../model/log.ts";
import type { Settings } from "../../model/settings.ts";
import type { DueTurns } from "../../ports/engine.ts";
import { carryOut } from "../embedded/carry-out.ts";
import type { StepContext } from "../embedded/context.ts";
import { isRead, ridesAlong, type StepName, type StepResult } from "../embedded/requests.ts";
import type { StrayRow, Tables } from "../embedded/tables.ts";
import { type ConnectionOptions, durabilityOf, whileBusy } from "./connection.ts";
import { errorFrom, failureOf, isDamage, messageOf, toldOf } from "./failure.ts";
import { attempt, type ContextFor, inOneCommit } from "./group.ts";
import { restoredFrom } from "./restored.ts";
import { openSession, reopenSession, type Session } from "./session.ts";
import { shrinkLog } from "./shrink-log.ts";
import type { StepReply, TimedRequest } from "./step-request.ts";
import { removeTraces, type TracesRemoval } from "./traces.ts";

export interface StoreOptions extends ConnectionOptions {
  readonly settings: Settings;
  readonly holder: string;
}

export interface LogLine {
  readonly level: LogLevel;
  readonly event: string;
  readonly fields: LogFields;
}

export interface GroupReply {
  readonly replies: readonly StepReply[];
  /** Earliest time at which a window that this group armed is due. */
  readonly armedAtMs?: number;
  /** For the log: a thread has none of its own. */
  readonly said?: readonly LogLine[];
  /** Foreign rows, found where nothing can be written. */
  readonly strays?: readonly StrayRow[];
  /** Why the file should not be relied on, even if some of it can be read. */
  readonly damage?: string;
  /** Why there is no usable file at all. */
  readonly lost?: string;
  /** Another file is open than before: other connections to the former one have to be closed. */
  readonly reopened?: true;
}

/** The file, and steps that run on it in groups: requests made at the same time share one commit. */
export interface Store {
  runGroup(requests: readonly TimedRequest[]): GroupReply;
  close(): void;
}

export function openStore(options: StoreOptions): Store {
  return new FileStore(options);
}

/** Steps that may open the file in the place of ours. Only these: reading a whole file takes a while. */
const REOPENING: ReadonlySet<StepName> = new Set(["sweep", "ping", "freeLeases"]);

/** How long a sweep waits after traces could not be removed. */
const TRACES_AGAIN_MS = 60_000;

/** The path names another file than the open one: nothing can be relied on. */
interface Lost {
  /** What is wrong with the files. */
  readonly trouble: string;
  /** The same, or why the file that is there now could not be opened. */
  readonly reason: string;
}

class FileStore implements Store {
  readonly #options: StoreOptions;
  #session: Session;
  #nowMs = 0;
  #armedAtMs: number | undefined;
  #said: LogLine[] = [];
  #lost: Lost | undefined;
  #damage: string | undefined;
  /** When a sweep checks again whether something of an erased person is left in the files. */
  #tracesAtMs = 0;
  #tracesTold: string | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#session = openSession(this.#sessionOptions());
    this.#say("debug", "store.opened", { ...durabilityOf(this.#session.database) });
  }

  runGroup(requests: readonly TimedRequest[]): GroupReply {
    this.#armedAtMs = undefined;
    const before = this.#session;
    this.#prepare(requests);
    const replies = this.#lost === undefined ? this.#carryOutAll(requests) : [];
    this.#look();
    const lost = this.#lost?.reason;
    const told = lost === undefined ? replies : requests.map(() => failureOf(new StoreUnavailable(lost)));
    const said = this.#said.splice(0);
    const strays = this.#takeStrays();
    return {
      replies: told,
      ...(this.#armedAtMs !== undefined && { armedAtMs: this.#armedAtMs }),
      ...(said.length > 0 && { said }),
      ...(strays.length > 0 && { strays }),
      ...(this.#damage !== undefined && { damage: this.#damage }),
      ...(lost !== undefined && { lost }),
      ...(this.#session !== before && { reopened: true }),
    };
  }

  /** What was read in the place of a foreign row must not be written over it: it is to be set aside first. */
  #takeStrays(): readonly StrayRow[] {
    const { quarantine, cache } = this.#session;
    const strays = quarantine.takeFound();
    if (strays.length > 0) cache.clear();
    return strays;
  }

  close(): void {
    if (this.#session.database.isOpen) this.#session.database.close();
  }

  #carryOutAll(requests: readonly TimedRequest[]): StepReply[] {
    const { database, syncing, quarantine, cache } = this.#session;
    quarantine.begin();
    const onError = (error: unknown) => this.#noteDamage(error);
    if (!this.#needsWrite(requests)) return requests.map((each) => attempt(() => this.#read(each), onError));
    const contextFor: ContextFor = ({ name, nowMs }, apart) => {
      this.#nowMs = nowMs;
      if (name === "sweep") quarantine.removeUncountable();
      return this.#stepAt(nowMs, apart);
    };
    const isSynced = requests.some((request) => !isRead(request.name) && !ridesAlong(request));
    if (this.#options.synchronous === "full") syncing.turn(isSynced);
    const replies = inOneCommit(database, requests, contextFor, {
      onError,
      onBegin: () => {
        quarantine.begin();
        cache.refresh();
      },
      onUndone: () => cache.undo(),
      onCommitted: () => {
        cache.committed();
        this.#sayQuarantined();
      },
    });
    const isAsked = (step: StepName) => requests.some(({ name }) => name === step);
    if (isAsked("sweep")) this.#maintain();
    const isErased = requests.some(({ name }, at) => name === "erase" && !isToGoOn(replies[at]));
    if (isErased || (isAsked("sweep") && this.#nowMs >= this.#tracesAtMs)) this.#removeTraces();
    return replies;
  }

  #sayQuarantined(): void {
    for (const { table, conversationId, turnId, why } of this.#session.quarantine.quarantined) {
      this.#say("error", "store.quarantined", {
        table,
        conversation: conversationId,
        turn: turnId,
        reason: why,
      });
    }
  }

  /** What a sweep does beside the protocol. A failure reaches no caller: the next sweep tries again. */
  #maintain(): void {
    const { database } = this.#session;
    try {
      shrinkLog(database, this.#options.file);
      const restored = restoredFrom(database);
      if (restored) this.#say("warn", "store.restored", { ...restored });
    } catch (error) {
      this.#noteDamage(error);
    }
  }

  /** A failure reaches no caller: an erasure says that traces may be left, and a later sweep tries again. */
  #removeTraces(): void {
    const removal = attemptToRemove(this.#session.database);
    if (removal.kind === "removed") this.#say("info", "store.traces-removed", {});
    // Not with every sweep: rewriting a file is work, even when it fails.
    this.#tracesAtMs = removal.kind === "left" ? this.#nowMs + TRACES_AGAIN_MS : 0;
    const why = removal.kind === "left" ? removal.why : undefined;
    if (why !== undefined && why !== this.#tracesTold)
      this.#say("warn", "store.traces-left", { reason: why });
    this.#tracesTold = why;
  }

  /** After the commit, before its answer: what went into a file that is not at its path is lost. */
  #look(): void {
    if (this.#lost !== undefined) return;
    const trouble = this.#session.file.trouble();
    if (trouble !== undefined) this.#lose(trouble);
  }

  #lose(trouble: string, reason = trouble): void {
    const known = this.#lost?.reason;
    this.#lost = { trouble, reason };
    // A reader leaves it to the writer, which checks as often and opens the file again.
    if (reason !== known && !this.#options.readOnly) this.#say("error", "store.file-lost", { reason });
  }

  #prepare(requests: readonly TimedRequest[]): void {
    const mayReopen = !this.#options.readOnly && requests.some(({ name }) => REOPENING.has(name));
    // Some steps run so rarely that without a check they would only find out by failing.
    if (mayReopen) this.#look();
    if (this.#lost !== undefined) this.#recover(this.#lost, mayReopen);
  }

  /** The file may be back, or a copy of it may have taken its place. */
  #recover(lost: Lost, mayReopen: boolean): void {
    const { file } = this.#session;
    const trouble = file.trouble();
    if (trouble === undefined) {
      this.#lost = undefined;
      if (!this.#options.readOnly) this.#say("warn", "store.file-back", {});
    } else if (mayReopen && file.isReplaced()) this.#reopen(trouble);
    else if (mayReopen || trouble !== lost.trouble) this.#lose(trouble);
  }

  #reopen(trouble: string): void {
    try {
      const session = reopenSession(this.#sessionOptions(), this.#session);
      this.#session.database.close();
      this.#session = session;
      this.#damage = undefined;
      this.#lost = undefined;
      this.#say("warn", "store.reopened", { ...durabilityOf(session.database) });
    } catch (error) {
      this.#lose(trouble, toldOf(error));
    }
  }

  #noteDamage(error: unknown): void {
    if (!isDamage(error)) return;
    if (this.#damage === undefined) this.#say("error", "store.damaged", { reason: messageOf(error) });
    this.#damage = failureOf(error).message;
  }

  #needsWrite(requests: readonly TimedRequest[]): boolean {
    try {
      if (requests.some(({ name }) => name !== "takeDue" && !isRead(name))) return true;
      return this.#readAtOnce(() =>
        requests.some((request) => request.name === "takeDue" && this.#isDue(request)),
      );
    } catch {
      // Not even the read worked: the transaction tells each caller why.
      return true;
    }
  }

  /** Looking for due work when none is due must not take the write lock ten times a second. */
  #isDue({ nowMs }: TimedRequest): boolean {
    return this.#session.tables.states.wakeable(nowMs, 1).length > 0;
  }

  /** Due work is not looked for again here: nothing can be taken. */
  #read(request: TimedRequest): StepReply {
    this.#nowMs = request.nowMs;
    const result = this.#readAtOnce(() =>
      request.name === "takeDue"
        ? nothingDue(this.#session.tables)
        : carryOut(this.#stepAt(request.nowMs), request),
    );
    return { ok: true, result };
  }

  #readAtOnce<T>(read: () => T): T {
    const { sql, cache } = this.#session;
    const known = () => {
      cache.refresh();
      return read();
    };
    return whileBusy(() => sql.reading(known));
  }

  #stepAt(nowMs: number, apart?: StepContext["apart"]): StepContext {
    const { settings, holder } = this.#options;
    return {
      tables: this.#session.tables,
      settings,
      holder,
      nowMs,
      newId: randomUUID,
      secret: this.#session.salt,
      armed: (atMs) => {
        this.#armedAtMs = Math.min(this.#armedAtMs ?? atMs, atMs);
      },
      ...(apart && { apart }),
      failed: (conversation, error) => {
        this.#noteDamage(error);
        this.#say("error", "conversation.put-off", { conversation, reason: toldOf(error) });
      },
    };
  }

  #sessionOptions() {
    return { ...this.#options, nowMs: () => this.#nowMs };
  }

  #say(level: LogLevel, event: string, fields: LogFields): void {
    this.#said.push({ level, event, fields });
  }
}

/** More of the person is left: the file is rewritten once, at the end. */
function isToGoOn(reply: StepReply | undefined): boolean {
  return reply?.ok === true && reply.result === "more";
}

function attemptToRemove(database: Session["database"]): TracesRemoval {
  try {
    return removeTraces(database);
  } catch (error) {
    return { kind: "left", why: toldOf(error) };
  }
}

function nothingDue(tables: Tables): DueTurns {
  const nextAtMs = tables.states.nextWakeAtMs();
  return nextAtMs === undefined ? { outcomes: [] } : { outcomes: [], nextAtMs };
}

/**
 * The result of the step that was requested, or throws the error it stands for. A reply has no name: it is
 * known by its place in its group.
 */
export function resultOf<N extends StepName>(reply: StepReply): StepResult<N> {
  if (reply.ok) return reply.result as StepResult<N>;
  throw errorFrom(reply);
}
