import type { Event } from "./history.ts";
import type { Simulation } from "./simulate.ts";

/** A run in readable form: one line per event, times from its beginning. */
export function timeline({ plan, history, violations }: Simulation): string {
  const startAtMs = history.events[0]?.atMs ?? 0;
  const lines = history.events.map(
    (event) => `${String(event.atMs - startAtMs).padStart(8)} ms  ${describe(event)}`,
  );
  return [
    `seed ${plan.seed}: ${plan.workers} workers, ${plan.messages.length} messages, ` +
      `whileBusy ${plan.whileBusy}, onUnknown ${plan.onUnknown}`,
    `window ${JSON.stringify(plan.window)}, chunks ${plan.chunks}, ` +
      `reconcile ${plan.canReconcile ? "yes" : "no"}`,
    `faults: ${plan.faults.map(({ step, kind, nth }) => `${kind} at ${step} #${nth}`).join("; ") || "none"}`,
    `outages: ${
      (plan.outages ?? [])
        .map(({ who, how, fromMs, toMs }) => `${who} ${how} ${fromMs}-${toMs}`)
        .join("; ") || "none"
    }, lists ${plan.listsLate ? "late" : "at once"}`,
    "",
    ...lines,
    "",
    ...violations.map(({ promise, what }) => `VIOLATED ${promise}: ${what}`),
  ].join("\n");
}

function describe(event: Event): string {
  switch (event.kind) {
    case "arrived":
      return `${event.message} from ${event.customer} reaches ${event.process}`;
    case "acknowledged":
      return `${event.message} acknowledged`;
    case "refused":
      return `${event.message} refused (${event.status})`;
    case "unanswered":
      return `${event.message} not answered`;
    case "taken": {
      const { taken, holder } = event;
      const what = taken.draft
        ? "a draft"
        : taken.outbound
          ? "an outbound"
          : `${taken.messages.map(({ text }) => text).join(" ")}`;
      return `${holder} takes turn ${taken.turnId} attempt ${taken.attempt}: ${what}`;
    }
    case "asked":
      return `turn ${event.turn} attempt ${event.attempt} asked: ${event.messages.join(" ")}`;
    case "sent":
      return `turn ${event.turn} chunk ${event.chunk} reaches ${event.to}, from ${event.process}`;
    case "asked-about":
      return `the provider is asked about turn ${event.turn} chunk ${event.chunk}`;
    case "fault":
      return `!! ${event.fault} at ${event.step} of ${event.process}`;
    case "crashed":
      return `!! ${event.process} is dead`;
    case "started":
      return `${event.process} starts`;
    case "told-late":
      return `${event.process} tells that turn ${event.turn} chunk ${event.chunk} was late`;
    case "orphans":
      return `a sweep finds ${event.count} orphans`;
    case "note":
      return event.text;
  }
}
