import { describe, expect, it } from "vitest";
import type { NameRecord } from "../model/names.ts";
import { lookUp, lookUpAsync } from "./lookup.ts";
import { type BeforeNext, freeId, movedSince, recordsBehind } from "./name-lookups.ts";

const [NUMBER, NEWER] = ["+50370000001", "+50370000002"];
const PERSON = "SV.aaaaaaaa";
const TALK = { id: "c1", sender: NUMBER };

const RECORDS = new Map<string, NameRecord>([
  [NUMBER, { cameWith: [PERSON], whose: { c1: PERSON } }],
  [PERSON, { cameWith: [NUMBER, NEWER] }],
  [NEWER, { cameWith: [PERSON] }],
]);

describe("the records behind a conversation", () => {
  const read = (asked: string[][]) => (names: readonly string[]) => {
    asked.push([...names]);
    return new Map([...RECORDS].filter(([name]) => names.includes(name)));
  };

  it("are asked for until they lead no further, each once", () => {
    const asked: string[][] = [];
    expect(lookUp(recordsBehind(TALK), read(asked))).toEqual(RECORDS);
    expect(asked).toEqual([[NUMBER], [PERSON], [NEWER]]);
  });

  it("are the same where every read is a request", async () => {
    const asked: string[][] = [];
    expect(await lookUpAsync(recordsBehind(TALK), async (names) => read(asked)(names))).toEqual(RECORDS);
    expect(asked).toEqual([[NUMBER], [PERSON], [NEWER]]);
  });

  it("are not read for what goes to a name that stays one person's", () => {
    const asked: string[][] = [];
    expect(lookUp(movedSince(TALK, { messages: [{ sender: PERSON }] }), read(asked))).toBeUndefined();
    expect(asked).toEqual([]);
    expect(lookUp(movedSince(TALK, { messages: [{ sender: NUMBER }] }), read(asked))).toEqual({ to: NEWER });
  });
});

describe("the id of the next conversation", () => {
  const idAfter = (previousId = "c0") => `c${Number(previousId.slice(1)) + 1}`;
  const among =
    (made: readonly string[], used: readonly string[], asked: string[] = []) =>
    ({ asks, id }: { asks: "is-made" | "is-used"; id: string }) => {
      asked.push(`${id} ${asks}`);
      return (asks === "is-made" ? made : used).includes(id);
    };

  it("follows from the latest, and costs no look if nothing is kept of its number", () => {
    const asked: string[] = [];
    const isSo = among(["c1", "c2"], ["c1", "c2"], asked);
    expect(lookUp(freeId(idAfter, {}), isSo)).toBe("c1");
    expect(lookUp(freeId(idAfter, { latestId: "c1" }), isSo)).toBe("c2");
    expect(asked).toEqual([]);
  });

  it.each<[string, NameRecord, readonly string[], readonly string[], string]>([
    ["is another person's", { cameWith: [], whose: { c1: PERSON } }, [], [], "c2"],
    ["has a conversation", { cameWith: [] }, ["c1"], [], "c2"],
    ["has messages that wait", { cameWith: [] }, [], ["c1"], "c2"],
    ["has the stranger's own messages", { cameWith: [], strangers: ["c1"] }, [], ["c1"], "c1"],
    ["is free, after two that are not", { cameWith: [], whose: { c1: "" } }, ["c2"], [], "c3"],
  ])("where the first %s", (_, record, made, used, id) => {
    expect(lookUp(freeId(idAfter, { record }), among(made, used))).toBe(id);
  });

  it("is not that of a stranger's messages if the next conversation is no person's", () => {
    const before: BeforeNext = { record: { cameWith: [], strangers: ["c1", "c2"] } };
    expect(lookUp(freeId(idAfter, { ...before, isOwnerless: true }), among([], []))).toBe("c3");
  });
});
