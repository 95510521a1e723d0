import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { KNOBS } from "./knobs.ts";

const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
const rows = page.split("\n").filter((line) => line.startsWith("|"));

test.each(KNOBS.filter((knob) => !knob.notInFile))("docs/configuration.md has a row for $key", (knob) => {
  const row = rows.find((line) => line.includes(`| \`${knob.key}\` |`)) ?? "";
  expect(row).not.toBe("");
  if (knob.env !== undefined) expect(row).toContain(`| \`${knob.env}\` |`);
  if (knob.flag !== undefined) expect(row).toContain(`| \`--${knob.flag}\` |`);
  if (knob.fallback !== undefined) expect(row).toContain(`| \`${String(knob.fallback)}\` |`);
});

test("docs/configuration.md names every variable", () => {
  for (const { env } of KNOBS) if (env !== undefined) expect(page).toContain(`\`${env}\``);
});

test("no two settings share a name", () => {
  for (const name of ["key", "env", "flag"] as const) {
    const names = KNOBS.flatMap((knob) => knob[name] ?? []);
    expect(new Set(names).size).toBe(names.length);
  }
});
