import { type Plan, type PlannedFault, planFrom } from "../../src/testing/simulator/plan.ts";
import { seeded } from "../../src/testing/simulator/random.ts";

/** Days that seeds rarely make, constructed for the protection that shows on them. */

function quietDay(seed: number): Plan {
  const { poison: _none, ...plan } = planFrom(seed);
  const messages = plan.messages.map((message) => ({ ...message, customer: 0 }));
  return { ...plan, messages, canReconcile: true, callbacks: false, faults: [], outages: [] };
}

/** Every attempt but the last one dies before its answer; the last one dies with its answer sent. */
export function LAST_ATTEMPT(seed: number): Plan {
  const dies = (nth: number): PlannedFault => ({ step: "respond", kind: "crash-before", nth });
  const kind = seeded(seed).pick(["crash-after", "crash-in-flight"] as const);
  return { ...quietDay(seed), faults: [...[1, 2, 3, 4].map(dies), { step: "send", kind, nth: 1 }] };
}

/** The answer to a send is lost, and the provider cannot be asked for as long as faults last. */
export function PROVIDER_AWAY(seed: number): Plan {
  const plan = quietDay(seed);
  return {
    ...plan,
    faults: [{ step: "send", kind: "answer-lost", nth: 1 }],
    outages: [{ who: "asking", how: "refused", fromMs: 0, toMs: 25_000 }],
  };
}
