import { createHash } from "node:crypto";
import type { Turn } from "../../ports/responder.ts";

/** What SQS takes as a group: 128 letters, digits and signs. */
const PLAIN = /^[!-~]{1,128}$/;

/** One group per conversation. Ids that another system made may hold anything. */
export function groupId({ conversation: { id } }: Turn): string {
  return PLAIN.test(id) ? id : hashOf(id);
}

/**
 * The same for the same messages of the same turn. A turn that failed comes back with what the customer wrote
 * meanwhile: with the turn's id alone, the queue would drop that hand-over, and those messages with it.
 */
export function deduplicationId({ id, messages }: Turn): string {
  return hashOf(id, ...messages.map((message) => message.id));
}

function hashOf(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:${part}`);
  return hash.digest("hex");
}
