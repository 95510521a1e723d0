import { createHash } from "node:crypto";
import { runInNewContext, Script } from "node:vm";
import { expect, test } from "vitest";
import { phonePage } from "./page.ts";
import { SCRIPT } from "./script.ts";
import { SCRIPT_TIMELINE } from "./script-timeline.ts";
import { STYLE } from "./style.ts";

const { body, headers } = phonePage("web");
const policy = headers["content-security-policy"] ?? "";
const sha = (source: string) => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;

interface Item {
  readonly side?: string;
  readonly text?: string;
  readonly tick?: string;
  readonly note?: string;
  readonly rule?: string;
}
interface Timeline {
  assignTurns(log: object[], turns: object[]): boolean;
  mergeLog(log: object[], other: object[]): void;
  timelineOf(log: object[], feeds: object[]): Item[];
  eventsOf(log: object[], feeds: object[]): { readonly what: string; readonly detail?: string }[];
}
const page = runInNewContext(
  `${SCRIPT_TIMELINE}; ({ assignTurns, mergeLog, timelineOf, eventsOf })`,
) as Timeline;

const AT = "2025-11-15T08:00:00.000Z";
const AT_MS = 1_763_193_600_000;
const said = (id: string, more = {}) => ({ id, text: `text ${id}`, at: AT_MS, state: "acked", ...more });
const turn = (id: string, ...messages: string[]) => ({
  turn_id: id,
  outcome: "replied",
  attempts: 1,
  message_ids: messages.map((each) => `web/web/visitor/${each}`),
  opened_at: AT,
  due_at: AT,
  taken_at: AT,
  committed_at: AT,
});
const message = (role: string, turnId: string, text: string, n: number) => ({
  role,
  turn_id: turnId,
  text,
  n,
  at: AT,
});
const feed = (more = {}) => ({ conversation: "c_1", messages: [], turns: [], waiting: [], ...more });
const shown = (items: Item[]) =>
  items.map(({ side, text, tick, rule }) => rule ?? [side, text, tick].filter(Boolean).join(" "));

test("the page runs only the script and the style it was made with, and loads nothing", () => {
  const script = /<script>(.*)<\/script>/s.exec(body)?.[1] ?? "";
  const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? "";
  expect([script, style]).toEqual([SCRIPT, STYLE]);
  expect(policy).toContain(`script-src ${sha(script)}`);
  expect(policy).toContain(`style-src ${sha(style)}`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
  expect(body).not.toMatch(/\b(?:src|href)="(?!#|data:)/);
  expect(body).not.toMatch(/@import|url\(|\bstyle="|\bon\w+="/);
});

test("the script is a script, and knows its channel", () => {
  expect(() => new Script(SCRIPT)).not.toThrow();
  expect(phonePage("chat-2").body).toContain('data-channel="chat-2"');
});

test("a burst stays as it was typed, with one reply under it", () => {
  const log = [said("m1"), said("m2"), said("m3")];
  expect(page.assignTurns(log, [turn("t1", "m1", "m2")])).toBe(true);
  const messages = [message("user", "t1", "text m1\ntext m2", 1), message("assistant", "t1", "sure", 2)];
  const items = page.timelineOf(log, [feed({ turns: [turn("t1", "m1", "m2")], messages })]);
  expect(shown(items)).toEqual(["out text m1 checks", "out text m2 checks", "in sure", "out text m3 check"]);
  expect(items[2]?.note).toBe("1 answer to 2 messages");
});

test("an id that merely ends alike is another message", () => {
  const log = [said("1")];
  expect(page.assignTurns(log, [turn("t1", "m1")])).toBe(false);
});

test("without the log the merged text is cut up where that is certain, else shown as it is", () => {
  const messages = [message("user", "t1", "a\nb", 1), message("user", "t2", "a\nb", 2)];
  const items = page.timelineOf([], [feed({ turns: [turn("t1", "x", "y"), turn("t2", "z")], messages })]);
  expect(shown(items)).toEqual(["out a checks", "out b checks", "out a\nb checks"]);
});

test("what waits in the service and is not in the log is shown too", () => {
  const waiting = [
    { id: "m1", text: "known", at: AT },
    { id: "m9", text: "from elsewhere", at: AT },
  ];
  expect(shown(page.timelineOf([said("m1")], [feed({ waiting })]))).toEqual([
    "out text m1 check",
    "out from elsewhere check",
  ]);
});

test("a refused message stays where it was said, an unsent one comes last", () => {
  const log = [
    said("no", { state: "refused", at: AT_MS - 1, why: "too late" }),
    said("later", { state: "waiting" }),
  ];
  const items = page.timelineOf(log, [feed({ messages: [message("assistant", "t1", "hello", 1)] })]);
  expect(shown(items)).toEqual(["out text no alert", "in hello", "out text later clock"]);
  expect(items[0]?.note).toBe("too late");
});

test("a second conversation of the same visitor is set off by a line", () => {
  const one = feed({ messages: [message("assistant", "t1", "bye", 1)] });
  const two = feed({ conversation: "c_2", messages: [message("assistant", "t2", "hello again", 2)] });
  expect(shown(page.timelineOf([], [one, two]))).toEqual(["in bye", "new conversation", "in hello again"]);
});

test("two tabs' logs become one, and whatever got further wins", () => {
  const log = [said("a", { state: "waiting" }), said("b", { turn: "t1" })];
  const kept = log[0];
  page.mergeLog(log, [said("a"), said("b"), said("c", { at: AT_MS + 1 })]);
  expect(log.map((entry) => [entry.id, entry.state])).toEqual([
    ["a", "acked"],
    ["b", "acked"],
    ["c", "acked"],
  ]);
  expect(log[0]).toBe(kept);
  expect(log[1]).toHaveProperty("turn", "t1");
});

test("the panel lists a burst from its first message to its commit", () => {
  const log = [said("m1", { turn: "t1" }), said("m2", { state: "waiting" })];
  const events = page.eventsOf(log, [feed({ turns: [turn("t1", "m1", "m0")] })]);
  expect(events.map(({ what, detail }) => `${what}: ${detail}`)).toEqual([
    "staged: text m1",
    "window opened: due in 0 s",
    "turn taken: with 2 messages",
    "turn committed: 2 messages, 1 reply",
  ]);
});
