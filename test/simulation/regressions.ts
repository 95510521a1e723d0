import type { Plan } from "../../src/testing/simulator/plan.ts";
import type { EngineName } from "./engines.ts";

interface Regression {
  readonly name: string;
  readonly plan: Plan;
  /** Where the faults can hit, if not everywhere. */
  readonly only?: EngineName;
}

/** Runs that once broke a promise, or its check, shrunk, each with what was wrong. They stay. */
const REGRESSIONS: readonly Regression[] = [
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
  {
    name:
      "a worker frozen before it disarms, until its lease lapsed, " +
      "must not take away the window of a later message",
    only: "aws",
    plan: {
      seed: 19_795,
      workers: 3,
      window: { quietSeconds: 1, maxSeconds: 4 },
      whileBusy: "reject",
      onUnknown: "hold",
      canReconcile: true,
      callbacks: false,
      chunks: 1,
      batchMessagesMax: 500,
      messages: [
        { id: "m1", customer: 0, atMs: 9_998, againAtMs: [] },
        { id: "m2", customer: 1, atMs: 5_847, againAtMs: [] },
        { id: "m3", customer: 0, atMs: 1_140, againAtMs: [] },
        { id: "m4", customer: 0, atMs: 379, againAtMs: [] },
      ],
      faults: [
        { step: "request.get", kind: "crash-before", nth: 1 },
        { step: "request.delete", kind: "freeze-before", nth: 1 },
      ],
      strayWakeUpsAtMs: [7_639],
    },
  },
  {
    name: "a pause that was decided on before the clock was set back must not end an hour later",
    plan: {
      seed: 101_149_343,
      workers: 2,
      window: { seconds: 2 },
      whileBusy: "queue",
      onUnknown: "assume-sent",
      canReconcile: true,
      callbacks: false,
      chunks: 1,
      batchMessagesMax: 500,
      messages: [
        { id: "m1", customer: 1, atMs: 116, againAtMs: [] },
        { id: "m2", customer: 1, atMs: 1_193, againAtMs: [] },
        { id: "m3", customer: 0, atMs: 130, againAtMs: [] },
        { id: "m4", customer: 1, atMs: 803, againAtMs: [] },
      ],
      faults: [
        { step: "turns.takeDue", kind: "crash-after", nth: 1 },
        { step: "turns.release", kind: "freeze-after", nth: 3 },
        { step: "sweeping.sweep", kind: "clock-set-back", nth: 3 },
      ],
      strayWakeUpsAtMs: [350, 15_220, 18_677],
      listsLate: false,
      outages: [{ who: "responder", how: "refused", fromMs: 705, toMs: 11_254 }],
    },
  },
  {
    name: "an older take, heard of after a newer one, is not the newest (the check had taken it for that)",
    only: "aws",
    plan: {
      seed: 1_673_299_819,
      workers: 2,
      window: { seconds: 2 },
      whileBusy: "reject",
      onUnknown: "hold",
      canReconcile: false,
      callbacks: true,
      chunks: 1,
      batchMessagesMax: 500,
      messages: [
        { id: "m1", customer: 0, atMs: 11_341, againAtMs: [] },
        { id: "m2", customer: 1, atMs: 1_812, againAtMs: [] },
        { id: "m3", customer: 1, atMs: 6_071, againAtMs: [] },
        { id: "m4", customer: 1, atMs: 4_491, againAtMs: [] },
        { id: "m5", customer: 0, atMs: 1_262, againAtMs: [3_382] },
        { id: "m6", customer: 1, atMs: 47, againAtMs: [10_065] },
      ],
      faults: [{ step: "request.delete", kind: "silent", nth: 5 }],
      strayWakeUpsAtMs: [9_915, 3_940, 13_905],
      listsLate: false,
      outages: [{ who: "responder", how: "silent", fromMs: 4_099, toMs: 9_480 }],
      providerAheadMs: 0,
    },
  },
  {
    name: "a run is not over while a process is frozen: it has still to tell that it sent late",
    plan: {
      seed: 1_220_009_778,
      workers: 2,
      window: { seconds: 2 },
      whileBusy: "queue",
      onUnknown: "hold",
      canReconcile: true,
      callbacks: false,
      chunks: 2,
      batchMessagesMax: 500,
      messages: [
        { id: "m1", customer: 0, atMs: 317, againAtMs: [11_065] },
        { id: "m2", customer: 1, atMs: 2_886, againAtMs: [] },
        { id: "m3", customer: 0, atMs: 275, againAtMs: [] },
        { id: "m4", customer: 1, atMs: 3_919, againAtMs: [17_066] },
      ],
      faults: [
        { step: "turns.take", kind: "freeze-after", nth: 1 },
        { step: "send", kind: "freeze-before", nth: 1 },
      ],
      strayWakeUpsAtMs: [13_592, 526, 11_599],
      listsLate: false,
      outages: [],
      providerAheadMs: 0,
    },
  },
  {
    name:
      "a worker frozen before it disarms must not take away the window on which its successor relies, " +
      "whose own look failed",
    only: "aws",
    plan: {
      seed: 1_250_001_239,
      workers: 2,
      window: { seconds: 2 },
      whileBusy: "queue",
      onUnknown: "hold",
      canReconcile: true,
      callbacks: false,
      chunks: 1,
      batchMessagesMax: 500,
      messages: [
        { id: "m1", customer: 0, atMs: 276, againAtMs: [] },
        { id: "m2", customer: 0, atMs: 2_410, againAtMs: [] },
        { id: "m3", customer: 0, atMs: 601, againAtMs: [12_433] },
        { id: "m4", customer: 0, atMs: 2_658, againAtMs: [] },
        { id: "m5", customer: 0, atMs: 5_799, againAtMs: [] },
        { id: "m6", customer: 0, atMs: 323, againAtMs: [] },
        { id: "m7", customer: 0, atMs: 78, againAtMs: [] },
      ],
      faults: [
        { step: "request.delete", kind: "error-before", nth: 2 },
        { step: "request.delete", kind: "freeze-before", nth: 1 },
      ],
      strayWakeUpsAtMs: [],
      listsLate: false,
      outages: [],
      providerAheadMs: 0,
    },
  },
  {
    name: "of two takes of one turn in one process the newer sends, whichever was heard of first (its check)",
    only: "aws",
    plan: {
      seed: 1_250_014_252,
      workers: 3,
      window: { seconds: 2 },
      whileBusy: "queue",
      onUnknown: "assume-sent",
      canReconcile: false,
      callbacks: true,
      chunks: 1,
      batchMessagesMax: 500,
      messages: [
        { id: "m1", customer: 0, atMs: 6_932, againAtMs: [19_325] },
        { id: "m2", customer: 0, atMs: 190, againAtMs: [] },
        { id: "m3", customer: 0, atMs: 1_039, againAtMs: [] },
        { id: "m4", customer: 0, atMs: 77, againAtMs: [2_387] },
        { id: "m5", customer: 0, atMs: 242, againAtMs: [] },
        { id: "m6", customer: 0, atMs: 4_292, againAtMs: [] },
        { id: "m7", customer: 0, atMs: 4_620, againAtMs: [12_248] },
      ],
      faults: [
        { step: "request.query", kind: "silent", nth: 33 },
        { step: "trigger.done", kind: "freeze-before", nth: 2 },
        { step: "request.update", kind: "error-before", nth: 2 },
      ],
      strayWakeUpsAtMs: [9_840],
      listsLate: false,
      outages: [],
      providerAheadMs: 3_600_000,
    },
  },
  {
    name: "a lease of an earlier clock, written once more by a worker that was frozen meanwhile, must lapse",
    only: "aws",
    plan: {
      seed: 1_270_014_918,
      workers: 2,
      window: { seconds: 2 },
      whileBusy: "queue",
      onUnknown: "hold",
      canReconcile: true,
      callbacks: false,
      chunks: 1,
      batchMessagesMax: 500,
      messages: [
        { id: "m1", customer: 0, atMs: 695, againAtMs: [] },
        { id: "m2", customer: 0, atMs: 2_160, againAtMs: [] },
        { id: "m3", customer: 0, atMs: 183, againAtMs: [] },
      ],
      faults: [
        { step: "trigger.send", kind: "clock-set-back", nth: 1 },
        { step: "sweeping.sweep", kind: "clock-set-back", nth: 3 },
        { step: "request.query", kind: "freeze-before", nth: 15 },
        { step: "turns.draft", kind: "crash-before", nth: 1 },
      ],
      strayWakeUpsAtMs: [19_451, 14_380],
      listsLate: false,
      outages: [],
      providerAheadMs: 0,
    },
  },
  {
    name: "of two takes of a turn the newer is told by its attempt, also if a clock was set back in between",
    only: "memory",
    plan: {
      seed: 1_310_019_480,
      workers: 3,
      window: { seconds: 2 },
      whileBusy: "queue",
      onUnknown: "hold",
      canReconcile: true,
      callbacks: true,
      chunks: 2,
      batchMessagesMax: 500,
      messages: [
        { id: "m2", customer: 0, atMs: 7_302, againAtMs: [11_101] },
        { id: "m3", customer: 0, atMs: 1_682, againAtMs: [] },
        { id: "m5", customer: 1, atMs: 424, againAtMs: [8_465] },
      ],
      faults: [
        { step: "send", kind: "arrives-late", nth: 3 },
        { step: "reconcile", kind: "clock-jump", nth: 1 },
        { step: "turns.takeDue", kind: "clock-set-back", nth: 5 },
        { step: "respond", kind: "slow", nth: 1 },
      ],
      strayWakeUpsAtMs: [16_189, 19_286],
      listsLate: false,
      outages: [],
      providerAheadMs: 0,
    },
  },
];

export function regressionsOn(engine: EngineName): readonly Regression[] {
  return REGRESSIONS.filter(({ only = engine }) => only === engine);
}
