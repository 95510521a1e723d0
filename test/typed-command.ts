import { run } from "../src/cli/run.ts";
import { systemClock } from "../src/runtime/system-clock.ts";

interface Around {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly nowMs?: () => number;
}

/** A command as a person types it, without a process of its own: to start one takes longer than the rest. */
export async function typed(
  args: readonly string[],
  { cwd, env = {}, nowMs = systemClock.nowMs }: Around,
): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(args, {
    env,
    cwd,
    stderrIsTty: false,
    nowMs,
    out: (line) => void out.push(line),
    err: (text) => void err.push(text),
    logLine: (line) => void err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join("") };
}
