import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pageNamed } from "../doc-pages.ts";
import { ROOT } from "../staged-package.ts";

/** What runs in a turn, and so what may end one. */
const FOLDERS = ["core", "runtime", "responders", "channels", "secrets", "wire", "engines"];
/** Codes of other programs' errors, by which an outage is recognised. */
const FOREIGN = ["src/wire/outage-codes.ts", "src/wire/connection-failure.ts"];

/** Words in the form of a code that begin no dead letter's reason. */
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  "a webhook is refused with it": [
    ...["CHANNEL_NOT_ALLOWED", "CONVERSATION_LOCKED", "INVALID_PAYLOAD", "INVALID_SIGNATURE"],
    ...["MESSAGE_TOO_LARGE", "PAYLOAD_TOO_LARGE", "PROJECT_INACTIVE", "RATE_LIMITED", "ROUTE_NOT_FOUND"],
  ],
  "a request to the API, or a command, is refused with it": [
    ...["ANSWER_TOO_LARGE", "FORBIDDEN", "INCOMPLETE_LIST", "INVALID_REQUEST", "PROVIDER_UNAVAILABLE"],
    ...["TOO_MANY_MESSAGES", "INVALID_BACKUP"],
  ],
  "a turn's note, and the turn goes on": ["OPENAI_PAST_GONE", "OPENAI_THREAD_ENDED", "UNREADABLE_NOTE"],
  "an older version leaves the conversation to the newer one": ["NEWER_VERSION"],
  "a file that a responder asks for is not fetched": ["FOREIGN_MEDIA"],
  "words of DynamoDB, Node or SQLite": [
    ...["ALL_NEW", "ALL_OLD", "KEYS_ONLY", "PAY_PER_REQUEST", "EAI_AGAIN", "SQLITE_BUSY"],
    "ERR_INVALID_STATE",
  ],
};

const VARIABLE = /^(?:LULL|AWS|TWILIO|WATI)_|^OPENAI_API_KEY$|^SERVICE_TOKEN$/;

/** Every text that is such a word, or begins with one and a colon. */
function codesIn(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  return [...source.matchAll(/(?<=["`])[A-Z]+(?:_[A-Z]+)+(?=["]|: )/g)].map(([code]) => code);
}

const SOURCES = [...FOLDERS.map((folder) => `src/${folder}/**/*.ts`), "src/errors.ts"]
  .flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  .filter((file) => !file.endsWith(".test.ts") && !FOREIGN.includes(file));
const FOUND = [...new Set(SOURCES.flatMap(codesIn))].filter((code) => !VARIABLE.test(code)).sort();
const other = Object.values(OTHERS).flat();

/** What the first cells of a text's tables name. */
function named(text: string): string[] {
  const cells = text.split("\n").flatMap((line) => /^\| (.*?) \| /.exec(line)?.[1] ?? []);
  return cells.flatMap((cell) => [...cell.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, code = ""]) => code));
}

const letters = /^## Dead letters\n(.*?)^## /ms.exec(pageNamed("docs/operating.md").text)?.[1] ?? "";
const told = [...named(letters), ...named(pageNamed("docs/responders.md").text)];

test("every code with which a dead letter's reason begins is told: its cause, and what to do", () => {
  expect(FOUND).toEqual(expect.arrayContaining(["NOT_SENT", "SEND_UNKNOWN", "UNKNOWN_CREDENTIALS"]));
  expect(FOUND.filter((code) => !told.includes(code) && !other.includes(code))).toEqual([]);
});

test("no code is told that no source has", () => {
  const unknown = named(letters).filter((code) => !FOUND.includes(code));
  expect(unknown).toEqual([]);
});

test("what is no dead letter's code is still in the sources", () => {
  const words = SOURCES.map((file) => readFileSync(join(ROOT, file), "utf8")).join("\n");
  expect(other.filter((code) => !words.includes(code))).toEqual([]);
});
