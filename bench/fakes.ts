import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Asked, CallLog, Sent } from "./call-log.ts";
import { monotonicMs } from "./clock.ts";
import { messagesIn } from "./webhook.ts";

/**
 * OpenAI and Twilio in one process of their own, which answer at once and note every call with its times.
 * Those of `src/testing` keep whole requests and look through them: here that would slow the servers down.
 */
const asked: Asked[] = [];
const sent: (Sent & { readonly sid: string; readonly from: string; readonly createdAt: string })[] = [];
const finished = new Set<number>();

const MESSAGES = /^\/2010-04-01\/Accounts\/([^/]+)\/Messages\.json/;

const server = createServer((request, response) => {
  const startedAtMs = monotonicMs();
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    end(response, replyTo(request, Buffer.concat(parts).toString(), startedAtMs));
  });
});

interface Reply {
  readonly status: number;
  readonly body: string;
}

function replyTo({ method, url = "" }: IncomingMessage, body: string, startedAtMs: number): Reply {
  if (method === "POST" && url === "/v1/responses") return answerTurn(body, startedAtMs);
  const [, account] = MESSAGES.exec(url) ?? [];
  if (method === "POST" && account !== undefined) return takeMessage(body, account, startedAtMs);
  if (account !== undefined) return listMessages(account, new URL(url, "http://fake").searchParams);
  if (url === "/finished") return { status: 200, body: String(finished.size) };
  if (url === "/log") return { status: 200, body: JSON.stringify({ asked, sent } satisfies CallLog) };
  return { status: 404, body: "{}" };
}

function answerTurn(body: string, startedAtMs: number): Reply {
  // What was said before stands in front of it, with the numbers of older messages.
  const messages = messagesIn(body.slice(body.lastIndexOf('"role":"user"')));
  const text = `yes, until six. answer ${asked.length}`;
  const content = [{ type: "output_text", text, annotations: [] }];
  const output = [{ id: "msg_1", type: "message", role: "assistant", status: "completed", content }];
  const usage = { input_tokens: 10, output_tokens: 3, total_tokens: 13 };
  const answered = { id: "resp_1", object: "response", status: "completed", model: "fake", output, usage };
  asked.push({ messages, startedAtMs, endedAtMs: monotonicMs() });
  return { status: 200, body: JSON.stringify(answered) };
}

function takeMessage(body: string, account: string, startedAtMs: number): Reply {
  const form = new URLSearchParams(body);
  const answer = Number(/answer (\d+)$/.exec(form.get("Body") ?? "")?.[1] ?? -1);
  const sid = `SM${String(sent.length).padStart(32, "f")}`;
  const created = {
    ...{ answer, to: form.get("To") ?? "", from: form.get("From") ?? "", sid },
    ...{ createdAt: new Date().toUTCString(), startedAtMs, endedAtMs: monotonicMs() },
  };
  sent.push(created);
  for (const message of asked[answer]?.messages ?? []) finished.add(message);
  return { status: 201, body: JSON.stringify(resourceOf(created, account)) };
}

/** For a sender that died before it heard what became of its message. Newest first, as Twilio's. */
function listMessages(account: string, query: URLSearchParams): Reply {
  const messages = sent
    .filter(({ to }) => to === query.get("To"))
    .toReversed()
    .map((each) => resourceOf(each, account));
  return { status: 200, body: JSON.stringify({ messages, next_page_uri: null }) };
}

function resourceOf({ sid, to, from, answer, createdAt }: (typeof sent)[number], account: string): object {
  return {
    ...{ sid, account_sid: account, to, from, status: "queued", direction: "outbound-api" },
    ...{ body: `yes, until six. answer ${answer}`, num_media: "0", num_segments: "1" },
    ...{ date_created: createdAt, date_updated: createdAt, date_sent: null, error_code: null },
  };
}

function end(response: ServerResponse, { status, body }: Reply): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
