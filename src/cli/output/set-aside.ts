import { seedMessage } from "../../core/seed-rows.ts";
import type { QuarantinedRow } from "../../ports/inspector.ts";
import { isObject } from "../../schema/is-object.ts";
import { oneLine } from "./table.ts";
import { relativeTime } from "./times.ts";

const TEXT_MAX = 100;

type Shown = Pick<QuarantinedRow, "id" | "table" | "why" | "raw" | "atMs" | "movable">;

/** What a row is, since when it is there, what a customer wrote in it, and the command that helps. */
export function setAsideLines(row: Shown, nowMs: number): string[] {
  return [...asideLines(row, nowMs), ...stepsFor(row).map((step) => `  ${step}`)];
}

export function asideLines(row: Shown, nowMs: number): string[] {
  const text = textIn(row);
  return [
    `${sinceShown(row, nowMs)}, ${whatItIs(row)}`,
    ...(text === undefined ? [] : [`  wrote: ${oneLine(text, TEXT_MAX) || "(no text)"}`]),
  ];
}

/** Ids may hold a conversation's whole key: what stands before it names the row. */
export function shortId(id: string): string {
  return id.split(".", 1)[0]!;
}

export function whatItIs({ table, why, movable }: Pick<Shown, "table" | "why" | "movable">): string {
  return movable ? "a message that another system staged" : `a row of ${table} that is not ours: ${why}`;
}

export const MOVED_BY = "lull migrate seed-aws moves it, or lists why it stays";

function stepsFor({ id, movable }: Shown): string[] {
  const discard = `lull quarantine discard ${shortId(id)}`;
  return movable
    ? [`it is not answered before it is moved: ${MOVED_BY}`]
    : ["lull quarantine --json shows it whole", `once you have seen to it: ${discard}`];
}

/** Of a row that stays in its place the store knows no time but that of looking. */
export function sinceShown(row: Shown, nowMs: number): string {
  const atMs = (row.movable ? seedOf(row)?.receivedAtMs : undefined) ?? row.atMs;
  return atMs >= nowMs ? "there now" : relativeTime(atMs, nowMs);
}

function textIn(row: Shown): string | undefined {
  if (row.movable) return seedOf(row)?.form.Body ?? "";
  const { item } = objectIn(row.raw);
  const own = typeof item === "string" ? objectIn(item) : objectIn(row.raw);
  const { text } = isObject(own.message) ? own.message : own;
  return typeof text === "string" ? text : undefined;
}

function seedOf({ raw }: Shown) {
  const read = seedMessage(objectIn(raw));
  return read.kind === "message" ? read : undefined;
}

/** A copy of a large row is cut. */
function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
