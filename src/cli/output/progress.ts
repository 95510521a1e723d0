import type { Io } from "../io.ts";
import { inked } from "./colour.ts";
import { counted } from "./counted.ts";
import { oneLine } from "./table.ts";
import { duration } from "./times.ts";

/** Nothing is shown for work that is over before a person wonders. */
const SILENT_MS = 1_000;
/** A file or a pipe gets a line now and then instead of a redrawn one. */
const LINE_EVERY_MS = 5_000;
const BAR_WIDTH = 20;

/** Tells on stderr how far a long command has come. */
export interface Progress {
  update(text: string): void;
  /** Where it is known how much there is: with a bar on a terminal, how fast it goes and what is left. */
  step(done: number, total: number, one: string, many?: string): void;
  /** Clears the line, so that the result stands alone. */
  end(): void;
}

type ProgressIo = Pick<Io, "nowMs" | "stderrIsTty" | "err" | "errColumns" | "errInColour">;

export function progress(io: ProgressIo): Progress {
  const startedAtMs = io.nowMs();
  let shownAtMs = startedAtMs + SILENT_MS - LINE_EVERY_MS;
  let isShown = false;
  const isDue = (nowMs: number) =>
    nowMs - startedAtMs >= SILENT_MS && (io.stderrIsTty || nowMs - shownAtMs >= LINE_EVERY_MS);
  const show = (nowMs: number, text: string, bar = "") => {
    shownAtMs = nowMs;
    isShown = true;
    io.err(
      io.stderrIsTty ? `\r\u001b[K${bar}${within(io, text, bar === "" ? 0 : BAR_WIDTH + 2)}` : `${text}\n`,
    );
  };
  return {
    update(text) {
      const nowMs = io.nowMs();
      if (isDue(nowMs)) show(nowMs, text);
    },
    step(done, total, one, many) {
      const nowMs = io.nowMs();
      if (!isDue(nowMs)) return;
      const text = `${percent(done, total)} %  ${done} of ${counted(total, one, many)}`;
      show(nowMs, text + pace(done, total, nowMs - startedAtMs), bar(done, total, io.errInColour === true));
    },
    end() {
      if (isShown && io.stderrIsTty) io.err("\r\u001b[K");
    },
  };
}

/** A line that breaks could not be redrawn. */
function within({ errColumns }: ProgressIo, text: string, taken: number): string {
  return errColumns === undefined ? text : oneLine(text, Math.max(1, errColumns - taken - 1));
}

function percent(done: number, total: number): number {
  return total === 0 ? 100 : Math.floor((Math.min(done, total) / total) * 100);
}

function bar(done: number, total: number, inColour: boolean): string {
  const full = Math.floor((percent(done, total) / 100) * BAR_WIDTH);
  const [over, left] = ["━".repeat(full), "─".repeat(BAR_WIDTH - full)];
  return inColour ? `${inked("good", over)}${inked("faint", left)}  ` : `${over}${left}  `;
}

function pace(done: number, total: number, tookMs: number): string {
  const perSecond = (done / tookMs) * 1_000;
  if (perSecond === 0) return "";
  const rate = perSecond >= 10 ? Math.round(perSecond) : Number(perSecond.toPrecision(2));
  const rest = duration(((total - done) / perSecond) * 1_000);
  return `, ${rate} a second${rest === undefined ? "" : `, ${rest} left`}`;
}
