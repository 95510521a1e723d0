import { describe, expect, test } from "vitest";
import { pageNamed } from "../../test/doc-pages.ts";
import { MEMORY_MARGIN_MS } from "../core/defaults.ts";
import { settingsFor } from "../core/projects.ts";
import { memory } from "../engines/memory/index.ts";
import { LIMIT_DEFAULTS, LIMITS, type Limit, type LimitName, publicName } from "../model/limits.ts";
import type { Settings } from "../model/settings.ts";
import { settingsFrom } from "../runtime/config.ts";
import { schemaOf } from "../schema/limits.ts";
import { inWords, TO_PEOPLE } from "../schema/problems.ts";
import { checkFile } from "./file-keys.ts";
import { KNOBS, KNOBS_BY_HEADING } from "./knobs.ts";
import { limitVariable } from "./limit-variable.ts";
import { resolveSettings } from "./resolve-settings.ts";

const page = pageNamed("docs/configuration.md").text;

/** Those for all, whichever may differ in a project. */
const valuesIn = (settings: Settings) => ({ ...settings, ...settingsFor(settings, undefined) });

describe("docs/configuration.md", () => {
  test("has a row for everything that can be set", () => {
    for (const { key } of KNOBS.filter(({ notInFile }) => !notInFile))
      expect(page).toContain(`| \`${key}\` |`);
  });

  test("names every variable of channels and responders", () => {
    for (const { env } of KNOBS_BY_HEADING["Channels and the responder"])
      expect(page).toContain(`\`${env}\``);
  });
});

test("what can be set says how much it may be; of a week the page speaks once", () => {
  const numbers = [...KNOBS_BY_HEADING.Limits, ...KNOBS.filter(({ key }) => key === "workers")];
  const told = numbers.map(({ help, more = "" }) => Number(/; (\d+) at most/.exec(help + more)?.[1]));
  const most = numbers.map(({ kind }) => ("maximum" in kind ? kind.maximum : undefined));
  expect(told).toEqual(most.map((max) => (max === undefined || max === 604_800 ? Number.NaN : max)));
  expect(most.filter((max) => max !== undefined && max !== 604_800)).toEqual([
    86_400, 2_160, 256_000, 200, 36_500, 256,
  ]);
});

/** Adding a limit is a row in `LIMITS` and the code that uses it: this is what the row alone brings. */
describe.each(Object.entries(LIMITS))("limits: %s", (name, limit: Limit) => {
  const key = publicName(name as LimitName);
  const { min, max = 1_000_000, flag } = limit;
  const env = limitVariable(name as LimitName);
  const inFile = (value: unknown) => ({ file: { name: "f", content: { limits: { [key]: value } } } });
  const values = {
    "the file": inFile,
    "the environment": (value: unknown) => ({ env: { [env]: String(value) } }),
  };
  const layers = {
    ...values,
    ...(flag && { flag: (value: unknown) => ({ flags: { [flag]: String(value) } }) }),
  };

  test.each(Object.entries(layers))("is taken from %s as far as it may go, and no further", (_, layer) => {
    const resolved = (value: number) =>
      resolveSettings({ env: {}, flags: {}, ...layer(value) }).get(`limits.${key}`)?.value;
    expect([resolved(min), resolved(max)]).toEqual([min, max]);
    for (const bad of [min - 0.01, ...(limit.max === undefined ? [] : [limit.max + 1]), Number.NaN])
      expect(() => resolved(bad)).toThrow(`must be ${inWords(schemaOf(limit), TO_PEOPLE)}`);
  });

  test("is the same number for createLull, and stands in the settings", () => {
    const settings = (value: number) =>
      valuesIn(settingsFrom({ engine: memory(), channels: {}, limits: { [key]: value } }, new Map()))[
        name as LimitName
      ];
    const unit = limit.default === 0 ? 1 : LIMIT_DEFAULTS[name as LimitName] / limit.default;
    // Ids are kept a little longer than is promised.
    const more = name === "dedupeMs" ? MEMORY_MARGIN_MS : 0;
    expect(settings(limit.default)).toBe(LIMIT_DEFAULTS[name as LimitName] + more);
    expect(settings(min)).toBe((min === 0 ? 0 : Math.round(min * unit)) + more);
    expect(() => settings(min - 0.01)).toThrow(
      `limits.${key} must be ${inWords(schemaOf(limit), TO_PEOPLE)}`,
    );
  });

  test("is known to the file, and suggested when it is mistyped", () => {
    expect(() => checkFile({ limits: { [key]: min } }, "f")).not.toThrow();
    expect(() => checkFile({ limits: { [`${key}s`]: min } }, "f")).toThrow(`Did you mean ${key}?`);
  });
});

test("no two settings share a name", () => {
  for (const name of ["key", "env", "flag"] as const) {
    const names = KNOBS.flatMap((knob) => knob[name] ?? []);
    expect(new Set(names).size).toBe(names.length);
  }
});
