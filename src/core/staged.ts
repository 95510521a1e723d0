import type { DeadLetter, LetterHead } from "../model/dead-letter.ts";
import type { OutboundRequest, StagedOutbound } from "../model/outbound.ts";
import type { StagedRow } from "../model/staged.ts";
import { inOrder } from "./batch.ts";
import { replySent } from "./draft.ts";
import { bytesOf } from "./pile.ts";
import type { StagedItem } from "./take.ts";

/** How the ids of outbounds begin. */
export const OUTBOUND = "outbound/";

/** The id under which an outbound is staged and remembered. */
export function outboundId(given: string): string {
  return `${OUTBOUND}${given}`;
}

export function stagedOutbound(
  { conversationId, ...said }: OutboundRequest,
  nowMs: number,
): { readonly outbound: StagedOutbound; readonly bytes: number } {
  const outbound = { ...said, id: outboundId(said.id), arrivedAtMs: nowMs };
  return { outbound, bytes: bytesOf({ text: said.texts.join(""), media: said.media ?? [] }) };
}

export function messagesOf<R extends StagedRow>(rows: readonly R[]): Extract<R, { kind: "message" }>[] {
  return rows.filter((row): row is Extract<R, { kind: "message" }> => row.kind === "message");
}

/** A dead letter as operators, API clients and programs see it. */
export function deadLetterOf(head: LetterHead, rows: readonly StagedRow[]): DeadLetter {
  return { ...head, ...writtenIn(rows), replySent: replySent(head.draft) };
}

/** What was written to us in these rows, and what was to be said. */
export function writtenIn(rows: readonly StagedRow[]): Pick<DeadLetter, "messages" | "outbounds"> {
  return {
    messages: messagesOf(rows).map(({ message }) => message),
    outbounds: rows.flatMap((row) => (row.kind === "outbound" ? [row.outbound] : [])),
  };
}

/** A row as the decisions see it. */
export function itemOf(row: StagedRow): StagedItem {
  const { kind, id, bytes } = row;
  if (row.kind === "outbound")
    return { kind, id, arrivedAtMs: row.outbound.arrivedAtMs, position: 0, sequence: row.sequence, bytes };
  const { arrivedAtMs, position, sequence, sentAtMs } = row.message;
  const item = { kind, id, arrivedAtMs, position, sequence, bytes };
  return sentAtMs === undefined ? item : { ...item, sentAtMs };
}

/** In the order of arrival: what came in together stays as its payload had it. */
export function inArrivalOrder<R extends StagedRow>(rows: readonly R[]): R[] {
  return inOrder(
    rows.map((row) => ({ ...itemOf(row), row })),
    false,
  ).map(({ row }) => row);
}
