import { describe, expect, it } from "vitest";
import { chooseConversation, type Named, personIn } from "./person.ts";

const A = "+50370000001";
const C = "50370000003";
const [B1, B2] = ["SV.aaaaaaaa", "SV.bbbbbbbb"];

/** `+1/SV.a`: the own name, and what was learnt. */
function named(text: string): Named {
  const [sender = "", senderAlias] = text.split("/");
  return { sender, ...(senderAlias !== undefined && { senderAlias }) };
}

function told({ sender, senderAlias }: Named): string {
  return senderAlias === undefined ? sender : `${sender}/${senderAlias}`;
}

/** Active conversations, newest first; the one that is found; what it, or the new one, learns; who loses that name. */
type Case = [
  what: string,
  message: string,
  active: string[],
  found: string | undefined,
  learns?: string | undefined,
  losers?: string[],
];

describe("whose conversation a message belongs to", () => {
  it.each<Case>([
    ["nobody has written before", A, [], undefined],
    ["nobody has written before, with both names", `${B1}/${A}`, [], undefined, A],
    ["the number, known by it", A, [A], A],
    ["the id, known by it", B1, [B1], B1],
    ["the newest of several of one name", A, [`${A}/${B1}`, A], `${A}/${B1}`],
    ["the number of somebody who is known by id", A, [`${B1}/${A}`], `${B1}/${A}`],
    ["the id of somebody who is known by number", B1, [`${A}/${B1}`], `${A}/${B1}`],
    ["an id that comes with the number by which somebody is known", `${B1}/${A}`, [A], A, B1],
    ["the same once more", `${B1}/${A}`, [`${A}/${B1}`], `${A}/${B1}`],
    ["a number that comes with the id by which somebody is known", `${B1}/${A}`, [B1], B1, A],
    ["the same once more, by id", `${B1}/${A}`, [`${B1}/${A}`], `${B1}/${A}`],
    ["the id without the number, which is not forgotten", B1, [`${B1}/${A}`], `${B1}/${A}`],

    ["another id with the same number", `${B2}/${A}`, [`${B1}/${A}`], undefined, A, [`${B1}/${A}`]],
    ["another id with the number that names a conversation", `${B2}/${A}`, [`${A}/${B1}`], undefined, A],
    ["the number alone, after it changed hands", A, [`${B2}/${A}`, B1], `${B2}/${A}`],
    [
      "the number alone, after it changed hands from whom it names",
      A,
      [`${B2}/${A}`, `${A}/${B1}`],
      `${B2}/${A}`,
    ],
    ["likewise where the new holder was known for longer", A, [`${A}/${B1}`, `${B2}/${A}`], `${B2}/${A}`],
    ["the former holder's id", B1, [`${B2}/${A}`, `${A}/${B1}`], `${A}/${B1}`],
    [
      "the former holder with the number: it is theirs again",
      `${B1}/${A}`,
      [`${B2}/${A}`, B1],
      B1,
      A,
      [`${B2}/${A}`],
    ],
    ["an id that moved to another number", `${B1}/${C}`, [`${B1}/${A}`], `${B1}/${A}`, C],
    ["an id that moved on, known by its former number", `${B1}/${C}`, [`${A}/${B1}`], `${A}/${B1}`],
    ["the id before the number that came with it", `${B1}/${C}`, [C, `${A}/${B1}`], `${A}/${B1}`],
    ["the number that it moved from, which is nobody's now", A, [`${B1}/${C}`], undefined],

    ["an exact name before one that was learnt later", A, [`${B1}/${A}`, A], A],
    ["a number that is another conversation's own name is not learnt", `${B1}/${A}`, [A, B1], B1],
    ["a number in place of an id", `${C}/${A}`, [A], undefined],
    ["a number in place of an id, known by it", `${C}/${A}`, [A, C], C],
    ["two numbers of one conversation, as an older version wrote them", A, [`${C}/${A}`], undefined],
    ["two ids of one conversation, as an older version wrote them", B2, [`${B1}/${B2}`], undefined],
    [
      "a number with two ids, the one that an older version wrote down",
      `${B1}/${A}`,
      [`${B1}/${B2}`],
      `${B1}/${B2}`,
      A,
    ],
    ["the number first and the id beside it", `${A}/${B1}`, [B1], B1, A],
    ["the number first and another id beside it", `${A}/${B2}`, [`${B1}/${A}`], undefined, B2],
    ["the number first, and the id of who took it", `${A}/${B2}`, [`${B2}/${A}`, `${A}/${B1}`], `${B2}/${A}`],
    ["the number first, and the id of who had it", `${A}/${B1}`, [`${B2}/${A}`, `${A}/${B1}`], `${A}/${B1}`],
    [
      "a mail address of somebody who is known by id",
      "ana@example.test",
      ["u-1/ana@example.test"],
      "u-1/ana@example.test",
    ],
  ])("%s", (_, message, active, found, learns, losers = []) => {
    const choice = chooseConversation(named(message), active.map(named));
    expect({
      found: choice.found && told(choice.found),
      learns: choice.learns,
      losers: choice.losers.map(told),
    }).toEqual({ found, learns, losers });
  });
});

describe("whose conversations are one person's", () => {
  it.each<[what: string, known: string[], found: string[], theirs: string[], names: string[]]>([
    ["one name", [B1], [B1], [B1], [B1]],
    [
      "under either name",
      [`${B1}/${A}`],
      [`${B1}/${A}`, A, `${A}/${B1}`],
      [`${B1}/${A}`, A, `${A}/${B1}`],
      [B1, A],
    ],
    ["from the number to the id behind it", [A], [`${B1}/${A}`, A], [`${B1}/${A}`, A], [A, B1]],
    [
      "not those of whoever has the number now",
      [`${B1}/${A}`],
      [`${B2}/${A}`, `${B1}/${A}`],
      [`${B1}/${A}`],
      [B1],
    ],
    [
      "not those of whoever had the number",
      [`${B2}/${A}`],
      [`${A}/${B1}`, `${B2}/${A}`],
      [`${B2}/${A}`],
      [B2],
    ],
    [
      "nothing that only a number of two tells",
      [`${B2}/${A}`],
      [`${B1}/${A}`, `${B2}/${A}`, A],
      [`${B2}/${A}`],
      [B2],
    ],
    ["only what the number tells, where two have had it", [A], [`${B1}/${A}`, `${B2}/${A}`, A], [A], [A]],
    [
      "under every number of an id",
      [`${B1}/${A}`],
      [`${B1}/${A}`, `${B1}/${C}`, C],
      [`${B1}/${A}`, `${B1}/${C}`, C],
      [B1, A, C],
    ],
    [
      "not by two ids of one conversation, as an older version wrote them",
      [`${B1}/${B2}`],
      [`${B1}/${B2}`, B2],
      [`${B1}/${B2}`],
      [B1],
    ],
  ])("%s", (_, known, found, theirs, names) => {
    const person = personIn(known.map(named), found.map(named));
    expect(person.conversations.map(told)).toEqual(theirs);
    expect(person.names).toEqual(names);
  });

  it("a number that changed hands is nobody's alone, though the other does not say so any more", () => {
    const later = { ...named(`${B2}/${A}`), aliasChangedHands: true };
    expect(personIn([named(A)], [later, named(A)]).conversations.map(told)).toEqual([A]);
    expect(personIn([later], [later, named(A)]).names).toEqual([B2]);
  });
});
