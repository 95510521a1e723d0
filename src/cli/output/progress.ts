import type { Io } from "../io.ts";

/** Nothing is shown for work that is over before a person wonders. */
const SILENT_MS = 1_000;
/** A file or a pipe gets a line now and then instead of a redrawn one. */
const LINE_EVERY_MS = 5_000;

/** Tells on stderr how far a long command has come. */
export interface Progress {
  update(text: string): void;
  /** Clears the line, so that the result stands alone. */
  end(): void;
}

export function progress(io: Io): Progress {
  const startedAtMs = io.nowMs();
  let shownAtMs = startedAtMs + SILENT_MS - LINE_EVERY_MS;
  let shown = false;
  return {
    update(text) {
      const nowMs = io.nowMs();
      if (nowMs - startedAtMs < SILENT_MS) return;
      if (!io.stderrIsTty && nowMs - shownAtMs < LINE_EVERY_MS) return;
      shownAtMs = nowMs;
      shown = true;
      io.err(io.stderrIsTty ? `\r\u001b[K${text}` : `${text}\n`);
    },
    end() {
      if (shown && io.stderrIsTty) io.err("\r\u001b[K");
    },
  };
}
