import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { LogFormat } from "../model/log.ts";
import { maskAddress } from "../runtime/log-privacy.ts";
import { createLog, logShape } from "./logger.ts";
import { WHOLE_BYTES_MAX } from "./output/line-writer.ts";

function logTo(
  lines: string[],
  options: { level?: "debug" | "info" | "warn"; format?: LogFormat; inColour?: boolean } = {},
) {
  return createLog({
    level: options.level ?? "info",
    format: options.format ?? "json",
    inColour: options.inColour ?? false,
    nowMs: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6),
    write: (line) => void lines.push(line),
    fields: { worker: 2 },
  });
}

test("an event is one JSON line with its time, level and fields", () => {
  const lines: string[] = [];
  logTo(lines)("info", "turn.committed", { turn: "t1", messages: 3 });
  expect(lines).toEqual([
    '{"time":"2026-01-02T03:04:05.006Z","level":"info","event":"turn.committed",' +
      '"worker":2,"turn":"t1","messages":3}\n',
  ]);
});

test("what lies below the level is left out", () => {
  const lines: string[] = [];
  const log = logTo(lines, { level: "warn" });
  log("debug", "a");
  log("info", "b");
  log("warn", "c");
  log("error", "d");
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(["c", "d"]);
});

test("texts are dropped and addresses masked, wherever they stand", () => {
  const lines: string[] = [];
  logTo(lines)("warn", "x", {
    text: "I am ill",
    sender: "+15550123",
    error: "no route to +15550123 (id 15550123)",
  });
  expect(JSON.parse(lines[0] as string)).toMatchObject({
    sender: "****23",
    error: "no route to ****23 (id 15550123)",
  });
  expect(lines[0]).not.toContain("ill");
});

test("a short address gives nothing away", () => {
  expect(maskAddress("1234")).toBe("****");
});

test("a person gets a readable line, in colour where that is wanted", () => {
  const lines: string[] = [];
  for (const inColour of [false, true])
    logTo(lines, { format: "pretty", inColour })("error", "turn.dead", {
      reason: "timeout",
      absent: undefined,
    });
  const [plain, coloured] = lines;
  expect(plain).toBe("03:04:05.006 error turn.dead worker=2 reason=timeout\n");
  expect(coloured).toContain("\u001b[31merror\u001b[0m");
  expect(stripVTControlCharacters(coloured!)).toBe(plain);
});

test("a terminal is read by a person, anything else by a program, unless it was said", () => {
  const shapes = [true, false].flatMap((stderrIsTty) =>
    [undefined, "pretty", "json"].map((said) => logShape({ stderrIsTty }, said as LogFormat).format),
  );
  expect(shapes).toEqual(["pretty", "pretty", "json", "json", "pretty", "json"]);
});

test("a line says how many were left out, in the words and with the fields of its log", () => {
  const told: string[] = [];
  const write = (_line: string, lostLine: (lines: number) => string) => void told.push(lostLine(3));
  createLog({
    level: "error",
    format: "json",
    inColour: false,
    nowMs: () => 0,
    write,
    fields: { worker: 2 },
  })("error", "a");
  expect(JSON.parse(told[0] as string)).toMatchObject({ event: "log.lines-lost", worker: 2, lines: 3 });
});

test("a line is no longer than a pipe takes as a whole: its texts are cut, and it stays JSON", () => {
  const lines: string[] = [];
  const long = { reason: "\u0001".repeat(900), detail: "é😀".repeat(300), check: "ok", rows: 7 };
  logTo(lines)("warn", "x", long);
  expect(Buffer.byteLength(lines[0] as string)).toBeLessThanOrEqual(WHOLE_BYTES_MAX);
  const { reason, detail, ...rest } = JSON.parse(lines[0] as string);
  expect(rest).toMatchObject({ event: "x", check: "ok", rows: 7 });
  for (const [text, whole] of [
    [reason, long.reason],
    [detail, long.detail],
  ])
    expect(text).toSatisfy((cut: string) => cut.endsWith("…") && whole.startsWith(cut.slice(0, 50)));
});
