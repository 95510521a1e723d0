import { randomId } from "../shared/random-id.ts";
import type { LogEntry } from "./message-log.ts";

/** Who writes here, and what they wrote. It is kept in browsers across versions, like the log. */
export interface Visitor {
  readonly visitor: string;
  /** Proves the name where the channel asks for a proof. */
  signature: string;
  /** Oldest first; the last one is the current one. */
  conversations: string[];
  readonly log: LogEntry[];
}

type Proven = Pick<Visitor, "visitor" | "signature">;

/**
 * A page that proves its visitors links here with `#sender=...&signature=...`. Without a proof any person
 * could have made the link, to read along.
 */
export function linkedVisitor(hash: string): Proven | undefined {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const visitor = given.get("sender");
  const signature = given.get("signature");
  return visitor && signature ? { visitor, signature } : undefined;
}

export function newVisitor(hash: string): Visitor {
  const named = linkedVisitor(hash) ?? { visitor: randomId("visitor-"), signature: "" };
  return { ...named, conversations: [], log: [] };
}

/** Whether to go on as the visitor of a link, instead of the one that was kept. */
export type Accepts = (linked: string, kept: string) => boolean;

/**
 * The visitor that was kept, unless the link names another. Another person can pass on a link of theirs: a
 * visitor who follows it would write into that person's conversation. So a visitor who is proven, or has
 * written here, is asked first.
 */
export function visitorFrom(kept: Visitor | undefined, hash: string, accepts: Accepts): Visitor {
  const linked = linkedVisitor(hash);
  if (!kept) return newVisitor(hash);
  if (!linked) return kept;
  if (linked.visitor === kept.visitor && linked.signature === kept.signature) return kept;
  // Also where only the proof differs: a made-up one would lock the visitor out.
  if (isKnown(kept) && !accepts(linked.visitor, kept.visitor)) return kept;
  if (linked.visitor !== kept.visitor) return newVisitor(hash);
  kept.signature = linked.signature;
  return kept;
}

/** Proven, or has written: a name that was only made up for an empty page is not in use yet. */
function isKnown({ signature, conversations, log }: Visitor): boolean {
  return signature !== "" || conversations.length > 0 || log.length > 0;
}

/** What a browser gives back may be from another version, or spoilt. */
export function isVisitor(value: unknown): value is Visitor {
  if (typeof value !== "object" || value === null) return false;
  const { visitor, conversations, log } = value as Partial<Record<keyof Visitor, unknown>>;
  const isNamed = typeof visitor === "string" && visitor !== "";
  return isNamed && Array.isArray(conversations) && Array.isArray(log);
}
