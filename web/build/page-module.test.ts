import { expect, test } from "vitest";
import { pageModule } from "./page-module.ts";

const html = `<p title="quotes \\ and 👋">${'"\\👋'.repeat(200)}</p>\n<p>second line</p>\n`;
const source = pageModule("sample", { html, script: "'sha256-a'", style: "'sha256-b'" });

test("the module gives the page back, character for character", async () => {
  const runnable = source.replace(/^import .*$/m, "").replace(": BuiltPage", "");
  const module = await import(`data:text/javascript,${encodeURIComponent(runnable)}`);
  expect(module.SAMPLE).toEqual({ html, script: "'sha256-a'", style: "'sha256-b'" });
});

test("no line is longer than a line of the sources may be", () => {
  expect(source.split("\n").filter((line) => line.length > 110)).toEqual([]);
});
