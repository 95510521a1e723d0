/** Whose pause keeps messages back, however long they have been due: they wait for its end. */
export type KeptBack =
  | { readonly by: "all-paused" }
  | { readonly by: "project-paused"; readonly project: string }
  | { readonly by: "paused" };

export interface Pausable {
  readonly allPaused?: boolean;
  /** The project of the messages, if it is paused. */
  readonly pausedProject?: string | undefined;
  readonly conversation: { readonly paused: boolean } | undefined;
}

/**
 * The widest pause first: to end a narrower one would not help. It is the batch's alone: a reply that is
 * written down goes out, and so does what a human says.
 */
export function pauseOf({ allPaused, pausedProject, conversation }: Pausable): KeptBack | undefined {
  if (allPaused) return { by: "all-paused" };
  if (pausedProject !== undefined) return { by: "project-paused", project: pausedProject };
  return conversation?.paused ? { by: "paused" } : undefined;
}
