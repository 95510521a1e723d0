import { expect, it } from "vitest";
import type { NameRecord } from "../model/names.ts";
import { bearerOf, ownNamesGiven, realmOf, spellingsOf, TELEPHONE } from "./named-person.ts";

const NUMBER = "+15550101";

function conversation(id: string, sender: string, senderAlias?: string) {
  return { id, sender, taskComplete: false, ...(senderAlias !== undefined && { senderAlias }) };
}

function records(...entries: readonly (readonly [string, NameRecord])[]) {
  return new Map(entries);
}

it("a number is looked for as providers and systems write it, another name as it is", () => {
  for (const given of ["+15550101", "15550101", "whatsapp:+15550101", " +15550101 "])
    expect(spellingsOf(given)).toEqual(
      expect.arrayContaining(["+15550101", "15550101", "whatsapp:+15550101"]),
    );
  expect(spellingsOf("SV.ana-0001")).toEqual(["SV.ana-0001"]);
  expect(spellingsOf("ana@example.test")).toEqual(["ana@example.test"]);
});

it("a lasting name stands for its person", () => {
  expect(bearerOf("SV.ana", [], records())).toEqual({ starts: [{ sender: "SV.ana" }], others: [] });
});

it("a number stands for who has it now; who had it before is another", () => {
  const known = records([NUMBER, { cameWith: ["SV.before", "SV.now"] }]);
  const { starts, others } = bearerOf(NUMBER, [], known);
  expect(starts).toEqual([{ sender: "SV.now", senderAlias: NUMBER }]);
  expect(others).toEqual(["SV.before"]);
});

it("what is ownerless under a number is asked for by it, what another person owns is not", () => {
  const found = [conversation("c_1", NUMBER), conversation("c_2", NUMBER)];
  const whose = { c_1: "", c_2: "SV.before" };
  const { starts } = bearerOf(NUMBER, found, records([NUMBER, { cameWith: ["SV.before", "SV.now"], whose }]));
  expect(starts).toEqual([{ sender: "SV.now", senderAlias: NUMBER }, found[0]]);
});

it("a number that its only owner has left stands for that person, unless a stranger wrote with it", () => {
  const left: NameRecord = { cameWith: ["+15550102"] };
  const only = records([NUMBER, { cameWith: ["SV.ana"] }], ["SV.ana", left]);
  expect(bearerOf(NUMBER, [], only).starts).toEqual([{ sender: "SV.ana", senderAlias: NUMBER }]);
  const strange = records([NUMBER, { cameWith: ["SV.ana"], strangers: ["c_9"] }], ["SV.ana", left]);
  const stranger = conversation("c_9", NUMBER);
  expect(bearerOf(NUMBER, [stranger], strange)).toEqual({ starts: [stranger], others: ["SV.ana"] });
});

it("a number that only an erased person had is its own", () => {
  const { starts, others } = bearerOf(NUMBER, [], records([NUMBER, { cameWith: [""] }]));
  expect(starts).toEqual([{ sender: NUMBER }]);
  expect(others).toEqual([]);
});

it("a name leads from telephone to telephone, and from a page nowhere else", () => {
  const realms = ["whatsapp", "sms", "signal", "web", "mail"].map((type) =>
    realmOf(type, new Set(["signal"])),
  );
  expect(realms).toEqual([TELEPHONE, TELEPHONE, TELEPHONE, "type web", "type mail"]);
  const visitor = { names: ["15550100"], others: [] };
  expect(ownNamesGiven(visitor, "type web")).toEqual(["15550100"]);
  expect(ownNamesGiven(visitor, TELEPHONE)).toContain("whatsapp:+15550100");
});
