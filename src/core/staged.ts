import { hash } from "node:crypto";
import type { DeadLetter, LetterHead } from "../model/dead-letter.ts";
import type { OutboundRequest, StagedOutbound } from "../model/outbound.ts";
import type { Settings } from "../model/settings.ts";
import type { StagedRow } from "../model/staged.ts";
import { inOrder } from "./batch.ts";
import { replySent } from "./draft.ts";
import type { StagedItem } from "./found.ts";
import { bytesOf } from "./pile.ts";

const WORD = "outbound";
/** How the ids of outbounds begin, also those of earlier versions. */
export const OUTBOUND = `${WORD}/`;

/** A longer id would not fit into a key that has a kilobyte. */
const GIVEN_BYTES_MAX = 900;

/**
 * The id under which an outbound is staged and remembered. Its conversation is in it: callers choose ids, and
 * one tenant's must not be taken for another's. A message's id never has an `@` at this place, whatever its
 * channel is called: its account is encoded.
 */
export function outboundId({ conversationId, id }: Pick<OutboundRequest, "conversationId" | "id">): string {
  const within = `${OUTBOUND}@${short(conversationId)}`;
  return Buffer.byteLength(id) <= GIVEN_BYTES_MAX ? `${within}/${id}` : `${within}@${short(id)}`;
}

function short(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 22);
}

/**
 * Under which id an earlier version, which left the conversation out, staged and remembered it: none where a
 * channel of this very name may have brought a message under it.
 */
export function outboundIdsBefore({ channels }: Pick<Settings, "channels">, given: string): string[] {
  const mayBeMessage = Object.hasOwn(channels, WORD) && given.includes("/");
  return mayBeMessage ? [] : [`${OUTBOUND}${given}`];
}

export function stagedOutbound(
  request: OutboundRequest,
  nowMs: number,
): { readonly outbound: StagedOutbound; readonly bytes: number } {
  const { conversationId: _, ...said } = request;
  const outbound = { ...said, id: outboundId(request), arrivedAtMs: nowMs };
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
