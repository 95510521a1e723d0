import type { Clock } from "../../ports/clock.ts";
import { CommandFailed } from "../usage-error.ts";

export interface Burst {
  readonly channelUrl: string;
  readonly sender: string;
  readonly messages: number;
  readonly gapMs: number;
  readonly giveUpAtMs: number;
  readonly pollMs: number;
  readonly clock: Clock;
  /** Ends it: what is on its way is waited for, and nothing more is written. */
  readonly signal: AbortSignal;
}

/** What happened to one customer. */
export interface Experience {
  readonly sent: number;
  readonly acknowledgedMs: readonly number[];
  readonly turns: readonly Turn[];
  readonly replies: number;
  /** Every acknowledged message is in a turn. */
  readonly answered: boolean;
}

export interface Turn {
  readonly messages: number;
  readonly outcome: string;
  /** How long after its window closed the turn was committed, by the service's own clock. */
  readonly afterDueMs: number;
}

interface Feed {
  readonly messages: readonly { readonly role: string }[];
  readonly turns: readonly {
    readonly outcome: string;
    readonly message_ids: readonly string[];
    readonly due_at: string;
    readonly committed_at: string;
  }[];
}

/** Writes a burst, then looks until it is answered or the time is over. */
export async function live(
  burst: Burst,
  onChange: (what: "acknowledged" | "answered") => void,
): Promise<Experience> {
  const acknowledgedMs: number[] = [];
  for (let n = 1; n <= burst.messages; n++) {
    if (n > 1) await burst.clock.sleep(burst.gapMs, burst.signal);
    if (burst.signal.aborted) break;
    const tookMs = await post(burst, n);
    if (tookMs === undefined) continue;
    acknowledgedMs.push(tookMs);
    onChange("acknowledged");
  }
  const feed = await untilAnswered(burst, acknowledgedMs.length);
  const turns = (feed?.turns ?? []).map((turn) => ({
    messages: turn.message_ids.length,
    outcome: turn.outcome,
    afterDueMs: Date.parse(turn.committed_at) - Date.parse(turn.due_at),
  }));
  const answered = answeredIn(feed) >= acknowledgedMs.length;
  if (answered) onChange("answered");
  const replies = feed?.messages.filter(({ role }) => role === "assistant").length ?? 0;
  return { sent: burst.messages, acknowledgedMs, turns, replies, answered };
}

/** How long the acknowledgement took; undefined when there was none. */
async function post({ channelUrl, sender, clock }: Burst, n: number): Promise<number | undefined> {
  const startedAtMs = clock.nowMs();
  const body = JSON.stringify({ id: String(n), sender, text: `message ${n}` });
  const response = await fetch(channelUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  }).catch((error: Error) => {
    throw new CommandFailed(
      `${new URL(channelUrl).origin} does not answer (${causeOf(error)}). Is the service running?`,
    );
  });
  await response.body?.cancel();
  if (response.status === 404) {
    throw new CommandFailed(
      `there is no web channel at ${channelUrl}. Run \`lull dev\`, or \`lull start\` with LULL_WEB=1`,
    );
  }
  return response.ok ? clock.nowMs() - startedAtMs : undefined;
}

function causeOf(error: Error): string {
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException;
  return code ?? message;
}

async function untilAnswered(burst: Burst, acknowledged: number): Promise<Feed | undefined> {
  let feed: Feed | undefined;
  while (acknowledged > 0 && !burst.signal.aborted && burst.clock.nowMs() < burst.giveUpAtMs) {
    feed = (await look(burst)) ?? feed;
    if (answeredIn(feed) >= acknowledged) return feed;
    await burst.clock.sleep(burst.pollMs, burst.signal);
  }
  return feed;
}

function answeredIn(feed: Feed | undefined): number {
  return new Set(feed?.turns.flatMap((turn) => turn.message_ids)).size;
}

async function look({ channelUrl, sender }: Burst): Promise<Feed | undefined> {
  const response = await fetch(`${channelUrl}/feed?sender=${encodeURIComponent(sender)}`).catch(
    () => undefined,
  );
  return response?.ok ? ((await response.json()) as Feed) : undefined;
}
