import { afterEach, beforeEach, vi } from "vitest";

/** What Powertools writes in each case of a file: to the console in this mode, where a test can read it. */
export function consoleLines() {
  let lines: string[] = [];
  beforeEach(() => {
    lines = [];
    vi.stubEnv("POWERTOOLS_DEV", "true");
    vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
    for (const method of ["debug", "info", "warn", "error", "log"] as const)
      vi.spyOn(console, method).mockImplementation((line: unknown) => void lines.push(String(line)));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });
  return {
    lines: () => lines,
    parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
