import type { Reporter } from "vitest/node";

/** Ends a run with one plain line, `N passed, N failed`, for programs that read the log. */
export const closingLine: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const passed = tests.filter((test) => test.result().state === "passed").length;
    // A file that cannot be loaded has no tests that could fail.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length;
    const failed = tests.filter((test) => test.result().state === "failed").length + broken;
    // At the very end: the coverage table comes after this hook, and missing its threshold is one more
    // failure.
    process.once("exit", (code) => {
      process.stdout.write(`\n${passed} passed, ${failed === 0 && code !== 0 ? 1 : failed} failed\n`);
    });
  },
};
