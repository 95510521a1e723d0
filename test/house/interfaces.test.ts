import { expect, test } from "vitest";
import { wideInterfaces } from "./interfaces.ts";

const withMembers = (name: string, n: number) => {
  const members = Array.from(
    { length: n },
    (_, at) => `  /** One. */\n  m${at}(\n    x: string,\n  ): void;`,
  );
  return `export interface ${name} extends Other {\n${members.join("\n")}\n}\n`;
};

test("an interface of thirteen members is found, unless each is a setting; one of twelve is not", () => {
  expect(wideInterfaces(withMembers("Wide", 13))).toEqual(["Wide has 13 members"]);
  expect(wideInterfaces(withMembers("Narrow", 12))).toEqual([]);
  expect(wideInterfaces(withMembers("Settings", 40))).toEqual([]);
});
