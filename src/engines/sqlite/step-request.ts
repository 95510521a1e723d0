import type { StepName, StepRequest, StepResult } from "../embedded/requests.ts";
import type { Failure } from "./failure.ts";

/** One step that a caller requests, at that caller's time. */
export type TimedRequest<N extends StepName = StepName> = StepRequest<N> & { readonly nowMs: number };

export type StepReply = { readonly ok: true; readonly result: StepResult<StepName> } | Failure;
