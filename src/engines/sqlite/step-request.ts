import type { StepName } from "../embedded/requests.ts";
import type { Failure } from "./failure.ts";

/** One step that a caller requests, at that caller's time. */
export interface StepRequest {
  readonly name: StepName;
  readonly input: unknown;
  readonly nowMs: number;
}

export type StepReply = { readonly ok: true; readonly result: unknown } | Failure;
