import { beforeEach, expect, test } from "vitest";
import { type FakeClock, fakeClock } from "../testing/fake-clock.ts";
import { SampledLog } from "./sampled-log.ts";

let clock: FakeClock;
let sampled: SampledLog;
let lines: string[];
beforeEach(() => {
  clock = fakeClock();
  lines = [];
  sampled = new SampledLog((level, event, { channel, code, reason, more } = {}) => {
    lines.push([level, event, channel, code, reason, more].filter((word) => word !== undefined).join(" "));
  }, clock);
});

const refuse = (channel: string, code: string, reason: string) =>
  sampled.note("warn", "webhook.refused", { channel, code, reason });
const told = () => lines.filter((line) => !line.startsWith("debug"));

test("a reason is told at once, the others of its minute are counted, and told together", async () => {
  for (let n = 0; n < 1_000; n += 1) refuse("sms", "INVALID_SIGNATURE", "none");
  expect(told()).toEqual(["warn webhook.refused sms INVALID_SIGNATURE none"]);
  await clock.advance(59_999);
  expect(told().length).toBe(1);
  await clock.advance(1);
  expect(told().slice(1)).toEqual(["warn webhook.refusals sms INVALID_SIGNATURE none 999"]);
  refuse("sms", "INVALID_SIGNATURE", "none");
  expect(told().slice(2)).toEqual(["warn webhook.refused sms INVALID_SIGNATURE none"]);
});

test("every one is told at level debug: metrics are counted from that", () => {
  for (let n = 0; n < 5; n += 1) refuse("sms", "INVALID_PAYLOAD", "odd");
  expect(lines.filter((line) => line.includes("webhook.refused")).length).toBe(5);
});

test("one that happened once is told again after a minute, and nothing about it in between", async () => {
  refuse("sms", "INVALID_PAYLOAD", "odd");
  await clock.advance(60_000);
  refuse("sms", "INVALID_PAYLOAD", "odd");
  expect(told()).toEqual(Array(2).fill("warn webhook.refused sms INVALID_PAYLOAD odd"));
});

test("reasons, codes and channels are told apart, up to twenty; what is beyond that together", async () => {
  for (let n = 0; n < 500; n += 1) refuse("web", "INVALID_PAYLOAD", `odd ${n}`);
  expect(told().length).toBe(21);
  expect(told().at(-1)).toBe("warn webhook.refused web INVALID_PAYLOAD other reasons");
  refuse("sms", "INVALID_PAYLOAD", "odd 499");
  expect(told().at(-1)).toBe("warn webhook.refused sms INVALID_PAYLOAD other reasons");
  await clock.advance(60_000);
  expect(told().at(-1)).toBe("warn webhook.refusals web INVALID_PAYLOAD other reasons 479");
  refuse("web", "INVALID_PAYLOAD", "another");
  expect(told().at(-1)).toBe("warn webhook.refused web INVALID_PAYLOAD another");
});

test("reasons of an earlier minute leave their room to new ones", async () => {
  for (let n = 0; n < 20; n += 1) refuse("web", "INVALID_PAYLOAD", `odd ${n}`);
  await clock.advance(60_000);
  refuse("web", "INVALID_PAYLOAD", "new");
  expect(told().at(-1)).toBe("warn webhook.refused web INVALID_PAYLOAD new");
});

test("a clock that is set back does not hide them", () => {
  refuse("sms", "INVALID_PAYLOAD", "odd");
  clock.setBack(3_600_000);
  refuse("sms", "INVALID_PAYLOAD", "odd");
  expect(told().length).toBe(2);
});

test("what was counted when the service stops is told then, and once", async () => {
  for (let n = 0; n < 3; n += 1) refuse("sms", "INVALID_PAYLOAD", "odd");
  sampled.flush();
  expect(told().at(-1)).toBe("warn webhook.refusals sms INVALID_PAYLOAD odd 2");
  await clock.advance(60_000);
  expect(told().length).toBe(2);
});

test("what a line is about goes with each, and tells none apart", () => {
  for (const conversation of ["c1", "c2", "c3"])
    sampled.note("info", "message.refused", { channel: "web", code: "MESSAGE_TOO_LARGE" }, { conversation });
  sampled.flush();
  expect(told()).toEqual([
    "info message.refused web MESSAGE_TOO_LARGE",
    "info message.refusals web MESSAGE_TOO_LARGE 2",
  ]);
});

test("one event's many reasons leave another's alone", () => {
  for (let n = 0; n < 50; n += 1) refuse("web", "INVALID_PAYLOAD", `odd ${n}`);
  for (const reason of ["first", "second", "second"])
    sampled.note("error", "webhook.failed", { channel: "web", reason });
  for (let n = 0; n < 2; n += 1) sampled.note("error", "http.error", { reason: "third" });
  sampled.flush();
  expect(told().filter((line) => line.startsWith("error"))).toEqual([
    "error webhook.failed web first",
    "error webhook.failed web second",
    "error http.error third",
    "error webhook.failures web second 1",
    "error http.errors third 1",
  ]);
});
