import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Talk } from "./talk.ts";

/** What crosses to the writer's thread and back for one request: it, its answer, and "next". */
const PER_REQUEST = { there: 1, back: 2 };
/** LEASE, DRAFT, COMMIT. */
const REQUESTS_PER_TURN = 3;
/** Characters, as JSON: what is added to a request or an answer crosses with every one of them. */
const CHARACTERS_MAX = { message: 650, turn: 4_300 };

let folder = "";
let talk: Talk;
let threads: Worker[] = [];
let crossed = { there: 0, back: 0, characters: 0 };
const onWorker = (worker: Worker) => void threads.push(worker);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lull-crossings-"));
  threads = [];
  crossed = { there: 0, back: 0, characters: 0 };
  process.on("worker", onWorker);
  talk = await Talk.open(join(folder, "lull.db"), "thread");
  for (const thread of threads) listenTo(thread);
  await talk.engine.ping();
  await rested();
});

afterEach(async () => {
  await talk.engine.close();
  process.off("worker", onWorker);
  rmSync(folder, { recursive: true });
});

function listenTo(thread: Worker): void {
  const post = thread.postMessage.bind(thread);
  thread.postMessage = (text: string) => {
    crossed.there += 1;
    crossed.characters += text?.length ?? 0;
    post(text);
  };
  thread.on("message", (text: string) => {
    crossed.back += 1;
    crossed.characters += text.length;
  });
}

/** The thread has said that it is ready for more: nothing is under way then. */
async function rested(): Promise<void> {
  while (crossed.back < crossed.there * PER_REQUEST.back)
    await new Promise((resolve) => setImmediate(resolve));
}

async function crossedBy(work: () => Promise<unknown>): Promise<typeof crossed> {
  crossed = { there: 0, back: 0, characters: 0 };
  await work();
  await rested();
  return crossed;
}

it("a message crosses once, and is answered once", async () => {
  await talk.stage("ana");
  await rested();
  const { characters, ...times } = await crossedBy(() => talk.stage("ana"));
  expect(times).toEqual(PER_REQUEST);
  expect(characters).toBeLessThan(CHARACTERS_MAX.message);
});

it("a turn crosses three times, and its history with it: no other thread is asked", async () => {
  await talk.stage("ana");
  await talk.turn();
  await talk.stage("ana");
  await rested();
  const { characters, ...times } = await crossedBy(() => talk.turn());
  expect(times).toEqual({
    there: REQUESTS_PER_TURN * PER_REQUEST.there,
    back: REQUESTS_PER_TURN * PER_REQUEST.back,
  });
  expect(characters).toBeLessThan(CHARACTERS_MAX.turn);
  expect(threads).toHaveLength(1);
});

it("messages that come at once cross as one", async () => {
  const { characters, ...times } = await crossedBy(() =>
    Promise.all(Array.from({ length: 100 }, (_, n) => talk.stage(`person-${n}`))),
  );
  expect(times).toEqual(PER_REQUEST);
  expect(characters).toBeLessThan(100 * CHARACTERS_MAX.message);
});
