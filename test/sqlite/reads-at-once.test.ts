import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { afterAll, beforeAll, expect, it } from "vitest";
import { settingsWith } from "../../src/core/defaults.ts";
import type { READS, StepInput } from "../../src/engines/embedded/requests.ts";
import type { TimedRequest } from "../../src/engines/sqlite/step-request.ts";
import { openStore, resultOf, type Store } from "../../src/engines/sqlite/store.ts";
import type { Conversation } from "../../src/model/conversation.ts";
import type { Taken } from "../../src/model/take.ts";
import { allSent, arrival, draftFor, replied, unknown } from "../../src/testing/engine-contract/builders.ts";

type ReadName = keyof typeof READS;

const START_AT_MS = Date.UTC(2026, 0, 1);
const NOW_AT_MS = START_AT_MS + 30_000;
const settings = settingsWith({});

let folder = "";
let before = "";
const taken: Taken[] = [];

/** Two people's turns run, with a history behind them. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lull-at-once-"));
  before = join(folder, "before.db");
  const store = open(before);
  const stage = (sender: string, nth: number, nowMs: number) =>
    run(store, { name: "stage", input: [from(sender, nth, nowMs)], nowMs });
  const takeAll = (nowMs: number) => {
    const { outcomes } = resultOf<"takeDue">(run(store, { name: "takeDue", input: 10, nowMs }));
    return outcomes.flatMap((outcome) => (outcome.kind === "turn" ? [outcome.taken] : []));
  };
  for (const sender of ["ana", "ben", "cyd"]) stage(sender, 1, START_AT_MS);
  for (const each of takeAll(START_AT_MS + 10_000)) run(store, commitOf(each, START_AT_MS + 10_000));
  for (const sender of ["ana", "ben", "cyd"]) stage(sender, 2, START_AT_MS + 10_000);
  taken.push(...takeAll(NOW_AT_MS));
  store.close();
});

afterAll(() => rmSync(folder, { recursive: true }));

function open(file: string, readOnly = false): Store {
  return openStore({ file, synchronous: "off", settings, holder: "here", readOnly });
}

function run(store: Store, ...requests: TimedRequest[]) {
  const { replies } = store.runGroup(requests);
  expect(replies.filter(({ ok }) => !ok)).toEqual([]);
  return replies[0]!;
}

function from(sender: string, nth: number, nowMs: number) {
  return { arrival: arrival({ providerId: `${sender}-${nth}`, sender, arrivedAtMs: nowMs }) };
}

function commitOf(each: Taken, nowMs: number): TimedRequest {
  const commit = replied(each, allSent(draftFor(each)));
  return { name: "commit", input: { lease: each.lease, commit }, nowMs };
}

/** One commit of another process, in which nearly every list changes. */
function changeAll(store: Store): void {
  const [ana, ben, cyd] = taken;
  const nowMs = NOW_AT_MS + 1;
  const undecided = replied(cyd!, unknown(draftFor(cyd!), 0), { outcome: "unknown" });
  const dead = { kind: "dead-letter", reason: "broken" } as const;
  run(
    store,
    commitOf(ana!, nowMs),
    { name: "release", input: { lease: ben!.lease, how: dead }, nowMs },
    { name: "commit", input: { lease: cyd!.lease, commit: undecided }, nowMs },
    { name: "stage", input: [from("ana", 3, nowMs)], nowMs },
    { name: "pauseAll", input: true, nowMs },
    { name: "changeProject", input: { project: "", change: { status: "stopped" } }, nowMs },
  );
}

/** Every read there is, of the conversation that changes most. */
function inputs(): { readonly [N in ReadName]: StepInput<N> } {
  const { conversation, lease } = taken[0]!;
  const key: Conversation = conversation;
  const page = { limit: 10 };
  return {
    knownSince: undefined as never,
    secretFor: "",
    hasNewer: lease,
    holders: undefined as never,
    tracesLeft: undefined as never,
    get: conversation.id,
    history: { id: conversation.id, messagesMax: 10 },
    listConversations: page,
    showConversation: { id: conversation.id },
    latestId: key,
    nameRecords: key,
    listLocks: page,
    listDead: page,
    showDead: "",
    listUnknown: page,
    showUnknown: "",
    listRefusals: page,
    listQuarantined: page,
    projectChanges: undefined as never,
    findPerson: { names: [conversation.sender] },
    keptOf: {
      of: { ...key, names: [key.sender], conversationIds: [key.id], others: [] },
      page: { kind: "turn", limit: 10 },
    },
    counts: undefined as never,
    gauges: undefined as never,
  };
}

/** What is made with the change has another id each time. */
const MADE = /[0-9a-f]{8}-[0-9a-f-]{27}/g;

/** What it reads while the change is committed before its nth statement; whether it had that many. */
function readWith(name: ReadName, nth: number): { readonly read: string; readonly isReached: boolean } {
  const file = join(folder, `${name}-${nth}.db`);
  copyFileSync(before, file);
  const [reader, writer] = [open(file, true), open(file)];
  let left = nth;
  const stop = beforeEachStatement(() => {
    left -= 1;
    if (left === 0) changeAll(writer);
  });
  const request = { name, input: inputs()[name], nowMs: NOW_AT_MS + 2 } as TimedRequest;
  const [reply] = reader.runGroup([request]).replies;
  stop();
  reader.close();
  writer.close();
  expect(reply?.ok).toBe(true);
  return { read: JSON.stringify(reply).replaceAll(MADE, "id"), isReached: left <= 0 };
}

/** Not before those of `work` itself. */
function beforeEachStatement(work: () => void): () => void {
  let isIn = false;
  const undo = (["get", "all"] as const).map((how) => {
    const original = StatementSync.prototype[how] as (...values: never[]) => unknown;
    const replacement = function (this: StatementSync, ...values: never[]) {
      if (!isIn) {
        isIn = true;
        work();
        isIn = false;
      }
      return original.apply(this, values);
    };
    Object.assign(StatementSync.prototype, { [how]: replacement });
    return () => void Object.assign(StatementSync.prototype, { [how]: original });
  });
  return () => {
    for (const each of undo) each();
  };
}

/** How many reads see any of the change: otherwise these tests could not fail. */
const CHANGED_MIN = 11;
const NONE = Number.POSITIVE_INFINITY;

it("what a read tells is of one moment, whatever is committed between two of its statements", () => {
  let changed = 0;
  for (const name of Object.keys(inputs()) as ReadName[]) {
    const wholes = [readWith(name, NONE).read, readWith(name, 1).read];
    if (wholes[0] !== wholes[1]) changed += 1;
    for (let nth = 2; ; nth += 1) {
      const { read, isReached } = readWith(name, nth);
      if (!isReached) break;
      expect(wholes, `${name}, with a commit before statement ${nth}`).toContain(read);
    }
  }
  expect(changed).toBeGreaterThanOrEqual(CHANGED_MIN);
});
