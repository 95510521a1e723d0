/** Watches for what may end a wait before its time. Returns how to stop watching. */
export type Watch<T> = (end: (how: T) => void) => () => void;

/**
 * What comes first: what `work` comes to, or what a watch ends the wait with. Then nothing is watched any
 * more. Plain callbacks: two waits in every turn hardly ever end early, and racing promises would build each
 * of their ends all the same.
 */
export function waitFor<T>(work: Promise<T>, watches: readonly Watch<T>[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const watched: (() => void)[] = [];
    let isOver = false;
    const stopWatching = () => {
      isOver = true;
      for (const stop of watched.splice(0)) stop();
    };
    const end = (how: T) => {
      resolve(how);
      stopWatching();
    };
    for (const watch of watches) if (!isOver) watched.push(watch(end));
    work.then(end, (error) => {
      reject(error);
      stopWatching();
    });
  });
}

/** Ends the wait when the signal aborts. */
export function whenAborted<T>(signal: AbortSignal, how: () => T): Watch<T> {
  return (end) => {
    const tell = () => end(how());
    if (signal.aborted) tell();
    else signal.addEventListener("abort", tell);
    // The signal outlives the wait: a listener left on it would keep alive all that the wait holds.
    return () => signal.removeEventListener("abort", tell);
  };
}
