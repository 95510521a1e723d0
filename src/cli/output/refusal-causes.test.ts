import { expect, it } from "vitest";
import { CATALOGUE } from "../catalogue.ts";
import { REFUSAL_CAUSES, refusalNotes } from "./refusal-causes.ts";

it.each(Object.entries(REFUSAL_CAUSES))("%s has a cause, and names only commands that exist", (_, cause) => {
  expect(cause).toMatch(/\w+ \w+/);
  for (const [, name] of cause.matchAll(/\blull ([a-z]+)/g))
    expect(CATALOGUE.map((each) => each.name)).toContain(name);
});

it("each code is told once, and none that is not known", () => {
  const notes = refusalNotes(["PROJECT_INACTIVE", "PROJECT_INACTIVE", "toString", "OF_ANOTHER_VERSION"]);
  expect(notes).toEqual([`PROJECT_INACTIVE: ${REFUSAL_CAUSES.PROJECT_INACTIVE}`]);
});
