import type { Plan } from "../../src/testing/simulator/plan.ts";

/** Runs that once broke a promise, shrunk, each with what was wrong. They stay. */
export const REGRESSIONS: readonly { readonly name: string; readonly plan: Plan }[] = [
  {
    name: "a commit whose answer got lost, tried again, must not commit the turn behind it",
    plan: {
      seed: 183,
      workers: 1,
      window: { quietSeconds: 1, maxSeconds: 4 },
      whileBusy: "queue",
      onUnknown: "hold",
      canReconcile: true,
      callbacks: false,
      chunks: 1,
      batchMessagesMax: 2,
      messages: [
        { id: "m3", customer: 0, atMs: 377, againAtMs: [] },
        { id: "m4", customer: 0, atMs: 315, againAtMs: [] },
        { id: "m5", customer: 0, atMs: 160, againAtMs: [] },
      ],
      faults: [{ step: "turns.commit", kind: "error-after", nth: 1 }],
      strayWakeUpsAtMs: [],
    },
  },
];
