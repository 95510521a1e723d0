import { afterEach, beforeEach, vi } from "vitest";
import type { Emulators } from "../../tools/aws-local/emulators.ts";
import { type FunctionFixture, type FunctionFixtureOptions, functionFixture } from "./function-fixture.ts";

/** For each case the functions that it opens, and what they print; closed after it. */
export function printingFunctions(emulators: Emulators) {
  let fixture: FunctionFixture;
  let lines: string[];
  beforeEach(() => {
    lines = [];
    vi.spyOn(process.stdout, "write").mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await fixture.close();
  });
  return {
    get fixture() {
      return fixture;
    },
    get lines() {
      return lines;
    },
    async open(options: FunctionFixtureOptions = {}): Promise<FunctionFixture> {
      fixture = await functionFixture(emulators, options);
      return fixture;
    },
    replies: () => fixture.channel.outbox.map(({ to, text }) => [to, text]),
    /** Everything that CloudWatch was told under this name, summed. */
    metric: (name: string) =>
      lines
        .filter((line) => line.startsWith('{"_aws"'))
        .reduce((sum, line) => sum + Number(JSON.parse(line)[name] ?? 0), 0),
  };
}
