import type { Evidence, Violation } from "./evidence.ts";
import type { Event, History } from "./history.ts";

type SentEvent = Extract<Event, { kind: "sent" }>;

/** By the turn that says it: the message whose answer is late, or will not come. */
export function noticesOf(history: History): ReadonlyMap<string, string> {
  return new Map(
    history
      .of("taken")
      .flatMap(({ taken: { turnId, outbound } }) =>
        outbound?.about === undefined ? [] : [[turnId, outbound.about] as const],
      ),
  );
}

/** Said once for a turn's messages, never once their reply is on its way, and leaving nothing to repair. */
export function noticesIn(
  { history, stored, plan }: Evidence,
  isExcused: (sent: SentEvent) => boolean,
): Violation[] {
  const about = noticesOf(history);
  if (about.size > 0 && !plan.failureText) return [{ promise: "once", what: "said without being asked to" }];
  const found: Violation[] = [];
  const sends = history.of("sent").filter((sent) => !isExcused(sent));
  const said = sends.flatMap((sent) => {
    const message = about.get(sent.turn);
    return message === undefined ? [] : [{ sent, message }];
  });
  const turns = stored.conversations.flatMap((conversation) => conversation.turns);
  for (const { sent, message } of said) {
    if (said.some((other) => other.message === message && other.sent !== sent))
      found.push({ promise: "once", what: `it was said twice that ${message} takes longer` });
    const answering = turns.find(({ messageIds }) => messageIds.includes(message));
    const replied = sends.find(({ turn }) => turn === answering?.turnId);
    if (replied && sends.indexOf(replied) < sends.indexOf(sent))
      found.push({ promise: "in order", what: `${message} was answered, and then said to take longer` });
  }
  const left = [
    ...stored.unknown.filter(({ turnId }) => about.has(turnId)).map(({ id }) => id),
    ...stored.dead.filter(({ outbounds }) => outbounds.some((each) => each.about)).map(({ id }) => id),
  ];
  return [
    ...found,
    ...left.map((id): Violation => ({ promise: "heals alone", what: `${id} is only a notice` })),
  ];
}
