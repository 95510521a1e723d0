import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StatementSync } from "node:sqlite";
import { sqlite } from "../src/engines/sqlite/index.ts";
import { createEdge } from "../src/http/edge.ts";
import type { InboundMessage } from "../src/model/message.ts";
import type { Channel } from "../src/ports/channel.ts";
import type { Clock } from "../src/ports/clock.ts";
import { createService } from "../src/runtime/create-service.ts";
import { systemClock } from "../src/runtime/system-clock.ts";

/** The files of `src` that call each other down to one place, outermost first. */
export type Stack = readonly string[];

export interface Asked {
  readonly question: "glance" | "unfit" | "verify" | "parse";
  readonly stack: Stack;
}

export interface TracedMessage {
  /** Down to where the body is read. */
  readonly body: Stack;
  /** Down to where the clock is asked to wake somebody, each time. */
  readonly clock: readonly Stack[];
  /** What the channel is asked before it has parsed the message, in order, each with the stack down to it. */
  readonly asked: readonly Asked[];
  /** Down to the first look at the message. */
  readonly message: Stack;
  /** Down to every statement of the database, until the turn is committed. */
  readonly statements: readonly Stack[];
  /** Down to the responder. */
  readonly respond: Stack;
  /** Down to the channel's sending. */
  readonly send: Stack;
}

/**
 * Sends one message through the real edge, service and SQLite engine, and notes from where it is called
 * whatever a caller brings: the body, the clock, the message, the database. The writer runs on this thread,
 * because a stack ends where a thread does.
 */
export async function traceMessage(): Promise<TracedMessage> {
  const noted: Record<"body" | "clock" | "message" | "respond" | "send", Stack[]> = {
    body: [],
    clock: [],
    message: [],
    respond: [],
    send: [],
  };
  const asked: Asked[] = [];
  const committed = Promise.withResolvers<void>();
  const folder = mkdtempSync(join(tmpdir(), "lull-walk-"));
  const statements = noteStatements();
  const line = channelOf({
    onAsked: (question) => asked.push({ question, stack: stack() }),
    onLook: () => noted.message.push(stack()),
    onSend: () => noted.send.push(stack()),
  });
  const clock: Clock = {
    ...systemClock,
    after(delayMs, run) {
      noted.clock.push(stack());
      return systemClock.after(delayMs, run);
    },
  };
  const service = createService({
    engine: sqlite({ file: join(folder, "lull.db"), writer: "inline" }),
    clock,
    channels: { line },
    window: { quietSeconds: 0.01 },
    respond: async () => {
      noted.respond.push(stack());
      return { text: "hi" };
    },
    log: (_level, event) => event === "turn.committed" && committed.resolve(),
  });
  try {
    const request = {
      method: "POST",
      path: "/webhooks/line",
      search: "",
      query: new URLSearchParams(),
      headers: {},
      remoteAddress: undefined,
      body: async () => {
        noted.body.push(stack());
        return Buffer.from("hello");
      },
    };
    await service.engine();
    noted.clock.length = 0;
    asked.length = 0;
    const { status } = await createEdge(service)(request);
    if (status !== 200) throw new Error(`the message was answered with ${status}`);
    await service.start();
    await committed.promise;
    const [body, message, respond, send] = [noted.body, noted.message, noted.respond, noted.send].map(
      ([first = []]) => first,
    ) as [Stack, Stack, Stack, Stack];
    return { body, asked, message, respond, send, clock: noted.clock, statements: statements.seen };
  } finally {
    statements.restore();
    await service.stop(0);
    rmSync(folder, { recursive: true });
  }
}

interface Watched {
  readonly onAsked: (question: Asked["question"]) => void;
  readonly onLook: () => void;
  readonly onSend: () => void;
}

function channelOf({ onAsked, onLook, onSend }: Watched): Channel {
  const message: InboundMessage = {
    providerId: "m1",
    account: "a",
    address: "us",
    sender: "them",
    replyTo: "them",
    media: [],
    get text() {
      onLook();
      return "hello";
    },
  };
  return {
    type: "line",
    textMax: 1_000,
    glance: () => void onAsked("glance"),
    unfit: () => void onAsked("unfit"),
    async verify() {
      onAsked("verify");
      return { kind: "authentic" };
    },
    parse() {
      onAsked("parse");
      return { kind: "updates", messages: [message], statuses: [] };
    },
    answer: ({ code }) => ({ status: code === undefined ? 200 : 500, headers: {}, body: code ?? "" }),
    send: async () => {
      onSend();
      return { kind: "sent", providerId: "p1" };
    },
  };
}

/** Node's own class is watched, none of ours. */
function noteStatements() {
  const seen: Stack[] = [];
  const { run, get, all } = StatementSync.prototype;
  const noting = (call: (...given: never[]) => unknown) =>
    function (this: StatementSync, ...given: unknown[]) {
      seen.push(stack());
      return Reflect.apply(call, this, given);
    };
  Object.assign(StatementSync.prototype, { run: noting(run), get: noting(get), all: noting(all) });
  return { seen, restore: () => void Object.assign(StatementSync.prototype, { run, get, all }) };
}

function stack(): Stack {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 100;
  const { stack: text = "" } = new Error("traced");
  Error.stackTraceLimit = limit;
  const files = text.split("\n").flatMap((line) => /\/src\/([\w/.-]+\.ts)/.exec(line)?.[1] ?? []);
  return files.reverse().filter((file, at, all) => file !== all[at - 1]);
}
