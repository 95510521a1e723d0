import { afterEach, expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { type Desk, desk } from "./desk.ts";

let at: Desk;
afterEach(() => at.close());

/** Each of them wrote, and a disk spoilt it. */
async function setAside(...people: readonly string[]): Promise<void> {
  at = await desk(() => "ok");
  await at.type("pause");
  for (const person of people) await at.write(person, "hi");
  at.spoil("UPDATE staged SET item = '{'");
  await at.type("resume");
  const { inspector } = await at.lull.engine();
  await eventually("the rows", async () => {
    return (await inspector.counts()).quarantined === people.length ? true : undefined;
  });
}

it("`quarantine` names each row by a line of its own, with what can be done", async () => {
  await setAside("ana");
  const { out } = await at.type("quarantine");
  expect(out).toMatch(
    /^1\n {2}.* ago|now, in staged, conversation \S+\n {2}a row of staged that is not ours/,
  );
  expect(out).toContain("lull quarantine discard <id>, or --all");
});

it("`quarantine discard --all` shows what would be lost, and drops it when that is meant", async () => {
  await setAside("ana", "ben");
  const asked = await at.type("quarantine", "discard", "--all");
  expect(asked).toMatchObject({ code: 2, out: "" });
  expect(asked.err).toMatch(/this cannot be undone: 2 rows\n/);
  expect(asked.err).toMatch(/To go on: lull quarantine discard --all --yes$/m);
  expect(await at.type("quarantine", "discard", "--all", "--yes")).toMatchObject({
    code: 0,
    out: "2 discarded",
  });
  expect((await at.type("quarantine")).out).toBe("Nothing was set aside.");
  expect((await at.type("quarantine", "discard")).err).toContain("name rows by id, or give --all");
});

it("a search that finds nobody says that rows which were set aside are not searched", async () => {
  await setAside("ana");
  const { out } = await at.type("conversations", "--search", "nobody");
  expect(out).toBe("No conversations. 1 row that is set aside was not searched: lull quarantine");
});

it("the doctor sends nobody to the tables of another engine", async () => {
  await setAside("ana");
  const { out } = await at.type("doctor", "--offline", "--port", "0");
  expect(out).toMatch(/^warn +quarantine: 1 row was not ours: look at them with `lull quarantine`$/m);
});
