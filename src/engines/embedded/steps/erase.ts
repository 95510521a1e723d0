import { erasedOn } from "../../../core/erased-refusals.ts";
import { sentInDraft } from "../../../core/sent.ts";
import { messagesOf } from "../../../core/staged.ts";
import { keepRemembered, type StepContext, stateOf } from "../context.ts";
import { personOf } from "./person.ts";
import { forgetSent } from "./record-delivery.ts";

/**
 * Removes the person, not one conversation: earlier conversations, those under another name, refusals, and
 * messages that wait for a conversation that was never created. Ids of staged messages are remembered: a
 * redelivery must not bring an erased person back.
 */
export function erase(context: StepContext, id: string): "erased" | "not-found" {
  const { tables } = context;
  const { keys, names, ids, forgets } = personOf(context, id);
  keepRemembered(
    context,
    ids.flatMap((each) => messagesOf(tables.staged.all(each))),
  );
  forgetSent(
    context,
    ids.flatMap((each) => [...tables.history.sent(each), ...sentInDraft(stateOf(context, each).draft)]),
  );
  const found = ids.filter((each) => tables.removal.conversation(each));
  if (found.length === 0) return "not-found";
  tables.removal.named(names, erasedOn(context.settings, keys));
  for (const forget of forgets) forget();
  return "erased";
}

/** Why something of an erased person may still be in a file, though no table has it any more. */
export function tracesLeft(context: StepContext): string | undefined {
  return context.tables.removal.tracesLeft();
}
