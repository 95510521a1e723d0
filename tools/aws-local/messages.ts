/**
 * What goes to a function instance and back, over the channel that Node opens between a process and its
 * child.
 */
export interface Invoke {
  readonly requestId: string;
  /** JSON, as Lambda hands it over: what would not cross there does not cross here. */
  readonly event: string;
  readonly deadlineAtMs: number;
}

export interface FunctionError {
  readonly errorType: string;
  readonly errorMessage: string;
}

export type FromInstance =
  | { readonly kind: "ready" }
  | { readonly kind: "init-failed"; readonly error: FunctionError }
  | { readonly kind: "answer"; readonly requestId: string; readonly payload: string }
  | { readonly kind: "failed"; readonly requestId: string; readonly error: FunctionError };
