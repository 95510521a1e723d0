import { describe, expect, it } from "vitest";
import type { Named, NameRecord } from "../model/names.ts";
import { addresseeOf } from "./addressee.ts";
import { personIn } from "./erased-person.ts";
import { changedName } from "./names.ts";
import { alsoAskedFor, chooseConversation } from "./person.ts";

const A = "+50370000001";
const C = "50370000003";
const [B1, B2] = ["SV.aaaaaaaa", "SV.bbbbbbbb"];

interface Talk extends Named {
  readonly id: string;
}

/** `+1/SV.a`: the sender's own name, and the alias beside it. */
function named(text: string): Named {
  const [sender = "", senderAlias] = text.split("/");
  return { sender, ...(senderAlias !== undefined && { senderAlias }) };
}

/** People who write, and what a store without rules of its own would keep of them. */
class Town {
  readonly records = new Map<string, NameRecord>();
  talks: Talk[] = [];
  #count = 0;

  /** The id of the conversation in which the message ends. */
  hears(message: string): string {
    const names = named(message);
    // No person has more names than are looked up.
    const asked = [names.sender, names.senderAlias ?? ""].filter((name) => this.records.has(name));
    const own = new Map(asked.map((name) => [name, this.records.get(name)!]));
    for (const name of alsoAskedFor(names, own))
      if (this.records.has(name)) own.set(name, this.records.get(name)!);
    const { found, learns, sender, keeps, passedOn } = chooseConversation(names, this.talks, own);
    const id = found?.id ?? `c${++this.#count}`;
    for (const [name, change] of keeps(id))
      this.records.set(name, changedName(this.records.get(name), change));
    if (passedOn)
      this.talks = this.talks.map(({ senderAlias, ...rest }) =>
        rest.sender === passedOn.from || senderAlias === undefined ? rest : { ...rest, senderAlias },
      );
    const talk = found ?? { id, sender };
    const after = {
      ...this.talks.find(({ id }) => id === talk.id),
      ...talk,
      ...(learns && { senderAlias: learns }),
    };
    this.talks = [after, ...this.talks.filter(({ id }) => id !== talk.id)];
    return talk.id;
  }

  isOver(id: string): void {
    this.talks = this.talks.filter((talk) => talk.id !== id);
  }

  reaches(id: string): string | undefined {
    return addresseeOf(this.talks.find((talk) => talk.id === id)!, this.records);
  }
}

/** Each message with the conversation in which it ends; a `/` behind it: its task is complete then. */
type Sequence = [what: string, ...messages: [message: string, conversation: string][]];

describe("whose conversation a message belongs to", () => {
  it.each<Sequence>([
    ["the number, known by it", [A, "c1"], [A, "c1"]],
    ["the id, known by it", [B1, "c1"], [B1, "c1"]],
    ["a person who came with both names, by either", [`${B1}/${A}`, "c1"], [A, "c1"], [B1, "c1"]],
    [
      "an id that comes with the number of a conversation",
      [A, "c1"],
      [`${B1}/${A}`, "c1"],
      [B1, "c1"],
      [A, "c1"],
    ],
    ["a number that comes with the id of one", [B1, "c1"], [`${B1}/${A}`, "c1"], [A, "c1"], [B1, "c1"]],
    ["the number first and the id beside it", [B1, "c1"], [`${A}/${B1}`, "c1"], [A, "c1"]],
    ["a mail address", ["u-1/ana@example.test", "c1"], ["ana@example.test", "c1"]],

    [
      "a number that changes hands",
      [`${B1}/${A}`, "c1"],
      [`${B2}/${A}`, "c2"],
      [A, "c2"],
      [B1, "c1"],
      [B2, "c2"],
    ],
    [
      "likewise where its first owner's conversation is named by it",
      [A, "c1"],
      [`${B1}/${A}`, "c1"],
      [`${B2}/${A}`, "c2"],
      [A, "c2"],
      [B1, "c1"],
    ],
    [
      "likewise where its present owner was known for longer",
      [B2, "c1"],
      [`${B1}/${A}`, "c2"],
      [`${B2}/${A}`, "c1"],
      [A, "c1"],
    ],
    [
      "likewise where its present owner has a conversation that is named by another number",
      [`${B1}/${A}`, "c1"],
      [C, "c2"],
      [`${B2}/${C}`, "c2"],
      [`${B2}/${A}`, "c2"],
      [A, "c2"],
      [C, "c3"],
    ],
    [
      "a number that is given back",
      [`${B1}/${A}`, "c1"],
      [`${B2}/${A}`, "c2"],
      [`${B1}/${A}`, "c1"],
      [A, "c1"],
      [B2, "c2"],
    ],
    [
      "a number that its owner has left",
      [`${B1}/${A}`, "c1"],
      [`${B1}/${C}`, "c1"],
      [C, "c1"],
      [A, "c2"],
      [B1, "c1"],
    ],
    [
      "likewise where it names their conversation",
      [A, "c1"],
      [`${B1}/${A}`, "c1"],
      [`${B1}/${C}`, "c1"],
      [A, "c2"],
      [C, "c1"],
      [B1, "c1"],
    ],
    [
      "a person who comes back to a number",
      [A, "c1"],
      [`${B1}/${A}`, "c1"],
      [`${B1}/${C}`, "c1"],
      [A, "c2"],
      [`${B1}/${A}`, "c1"],
      [A, "c1"],
    ],
    [
      "what only the number identifies, once a person came with it",
      [B1, "c1"],
      [A, "c2"],
      [`${B1}/${A}`, "c1"],
      [A, "c1"],
    ],
    [
      "what only the number identifies, once a person came with it and has left it",
      [B1, "c1"],
      [A, "c2"],
      [`${B1}/${A}`, "c1"],
      [`${B1}/${C}`, "c1"],
      [A, "c3"],
      [A, "c3"],
      [`${B2}/${A}`, "c4"],
      [A, "c4"],
    ],

    ["a new conversation of the number's owner", [`${B1}/${A}`, "c1/"], [A, "c2"], [B1, "c2"], [A, "c2"]],
    [
      "not the one that only the number identified before, though the number's owner has no other",
      [B1, "c1"],
      [A, "c2"],
      [`${B1}/${A}`, "c1/"],
      [`${B1}/${A}`, "c3"],
      [A, "c3"],
    ],

    ["a number in place of an id", [A, "c1"], [`${C}/${A}`, "c2"], [A, "c1"], [C, "c2"]],
    ["an id in place of a number", [B1, "c1"], [`${B2}/${B1}`, "c2"], [B1, "c1"], [B2, "c2"]],
  ])("%s", (_, ...story) => {
    const town = new Town();
    for (const [message, expected] of story) {
      const id = town.hears(message);
      expect({ message, id }).toEqual({ message, id: expected.replace("/", "") });
      if (expected.endsWith("/")) town.isOver(id);
    }
  });

  it.each<[what: string, message: string, active: string[], found: string | undefined]>([
    ["the number of a person who is named by id", A, [`${B1}/${A}`], `${B1}/${A}`],
    ["the id of a person who is named by number", B1, [`${A}/${B1}`], `${A}/${B1}`],
    ["the number, with the person who learnt it", A, [`${A}/${B1}`, `${B2}/${A}`], `${B2}/${A}`],
    ["likewise, whichever is newer", A, [`${B2}/${A}`, `${A}/${B1}`], `${B2}/${A}`],
    ["two numbers of one conversation", A, [`${C}/${A}`], undefined],
    ["two ids of one conversation", B2, [`${B1}/${B2}`], undefined],
  ])("without records, as 0.1.0 left its conversations: %s", (_, message, active, expected) => {
    const talks = active.map((text) => ({ ...named(text), id: text }));
    expect(chooseConversation(named(message), talks, new Map()).found?.id).toBe(expected);
  });

  it("an id that came to a conversation of 0.1.0 leaves its former number without a owner", () => {
    const town = new Town();
    town.talks = [{ id: "old", sender: B1, senderAlias: A }];
    expect(town.hears(`${B1}/${C}`)).toBe("old");
    expect(town.records.get(B1)?.cameWith).toEqual([A, C]);
    expect(town.hears(A)).toBe("c1");
  });

  it("a record stays small", () => {
    const town = new Town();
    for (let n = 0; n < 300; n += 1) town.hears(`u-${n}/family@example.test`);
    expect(town.records.get("family@example.test")!.cameWith).toHaveLength(100);
    expect(town.hears("family@example.test")).toBe(town.hears("u-299"));
  });
});

describe("whatever people write, in any order", () => {
  const ids = ["u-1", "u-2", "u-3"];
  const numbers = ["+1", "+2", "+3"];

  function tell(seed: number): void {
    const pick = dice(seed);
    const town = new Town();
    /** By number: the person who came with it last; by id: the number that it came with last. */
    const came = new Map<string, string>();
    const lastOf = new Map<string, string>();
    const members = new Map<string, Set<string>>();
    const over = new Set<string>();
    for (let n = 0; n < 40; n += 1) {
      const [id, number] = [ids[pick(3)]!, numbers[pick(3)]!];
      const kind = pick(3);
      const place = town.hears(kind === 0 ? id : kind === 1 ? number : `${id}/${number}`);
      if (kind === 2) {
        came.set(number, id);
        came.set(id, number);
      }
      const owner = came.get(came.get(number) ?? "") === number ? came.get(number) : undefined;
      const writer = kind === 1 ? owner : id;
      const inIt = members.get(place) ?? new Set();
      members.set(place, inIt);
      if (writer === undefined) {
        expect(
          [...inIt].filter((name) => name !== number),
          `story ${seed}: a bare number among others`,
        ).toEqual([]);
      } else {
        inIt.add(writer);
        expect(
          [...inIt].filter((name) => ids.includes(name)),
          `story ${seed}: two people in one conversation`,
        ).toEqual([writer]);
        const before = lastOf.get(writer);
        if (before !== undefined && !over.has(before))
          expect(place, `story ${seed}: a person has two`).toBe(before);
        lastOf.set(writer, place);
      }
      inIt.add(number);
      if (pick(10) === 0) {
        over.add(place);
        town.isOver(place);
      } else {
        const to = town.reaches(place);
        const mine = writer === undefined ? [number] : [writer, came.get(writer)];
        expect(mine, `story ${seed}`).toContain(to);
      }
    }
  }

  it.each([1, 2, 3])("a hundred stories from %i00 on", (hundred) => {
    for (let seed = hundred * 100; seed < hundred * 100 + 100; seed += 1) tell(seed);
  });
});

/** The same every time, so that a failing story can be replayed. */
function dice(seed: number): (sides: number) => number {
  let state = seed * 2_654_435_761;
  return (sides) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) | 0;
    return ((state >>> 8) & 0xffff) % sides;
  };
}

describe("where the person of a conversation is reached", () => {
  it.each<[what: string, messages: string[], to: (string | undefined)[]]>([
    ["a number", [A], [A]],
    ["an id", [B1], [B1]],
    ["an id with a number", [`${B1}/${A}`], [A]],
    ["a number with an id", [A, `${B1}/${A}`], [A]],
    ["a person who moved, not their former number", [A, `${B1}/${A}`, `${B1}/${C}`], [C]],
    ["a person whose number is another's now", [`${B1}/${A}`, `${B2}/${A}`], [A, B1]],
    ["no name, where another came with the number", [B1, A, `${B1}/${A}`], [A, undefined]],
  ])("%s", (_, messages, to) => {
    const town = new Town();
    for (const message of messages) town.hears(message);
    expect(town.talks.map(({ id }) => town.reaches(id))).toEqual(to);
  });
});

describe("whose conversations are one person's", () => {
  const kept = (...records: string[]) =>
    new Map(
      records.map((text) => {
        const [name = "", cameWith = ""] = text.split(" with ");
        return [name, { cameWith: cameWith.split(",") }];
      }),
    );

  it.each<
    [what: string, start: string[], found: string[], theirs: string[], names: string[], records?: string[]]
  >([
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
      "not those of the number's present owner",
      [`${B1}/${A}`],
      [`${B2}/${A}`, `${B1}/${A}`],
      [`${B1}/${A}`],
      [B1],
    ],
    [
      "not those of the number's former owner",
      [`${B2}/${A}`],
      [`${A}/${B1}`, `${B2}/${A}`],
      [`${B2}/${A}`],
      [B2],
    ],
    [
      "nothing that only a number of two people identifies",
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
    [
      "under a number that they have left",
      [`${B1}/${C}`],
      [`${B1}/${C}`, A],
      [`${B1}/${C}`, A],
      [B1, C, A],
      [`${B1} with ${A},${C}`, `${A} with ${B1}`, `${C} with ${B1}`],
    ],
    [
      "not under a number that another erased person had",
      [`${B1}/${A}`],
      [`${B1}/${A}`, A],
      [`${B1}/${A}`],
      [B1],
      [`${B1} with ${A}`, `${A} with ,${B1}`],
    ],
  ])("%s", (_, start, found, theirs, names, records = []) => {
    const talks = found.map((text) => ({ ...named(text), id: text }));
    const person = personIn(start.map(named), talks, kept(...records));
    expect(person.conversations.map(({ id }) => id)).toEqual(theirs);
    expect([...person.names].sort()).toEqual([...names].sort());
  });
});
