import { expect, test } from "vitest";
import { isVisitor, linkedVisitor, newVisitor, type Visitor, visitorFrom } from "./visitor.ts";

const kept = () => ({ visitor: "visitor-1", signature: "old", conversations: ["c_1"], log: [] });
const LINK = "#sender=ana%40example.com&signature=abc";

test("a link names a visitor only with a proof", () => {
  expect(linkedVisitor(LINK)).toEqual({ visitor: "ana@example.com", signature: "abc" });
  for (const hash of [
    "",
    "#",
    "#sender=ana",
    "#signature=abc",
    "#sender=&signature=abc",
    "#sender=ana&signature=",
  ])
    expect(linkedVisitor(hash)).toBeUndefined();
});

test("a new visitor has a name that cannot be guessed, or the one of the link", () => {
  const names = new Set(Array.from({ length: 50 }, () => newVisitor("").visitor));
  expect(names.size).toBe(50);
  for (const name of names) expect(name).toMatch(/^visitor-[0-9a-f]{32}$/);
  expect(newVisitor(LINK)).toEqual({
    visitor: "ana@example.com",
    signature: "abc",
    conversations: [],
    log: [],
  });
});

const yes = () => true;
const no = () => false;
const never = () => expect.unreachable("a question that is not needed");

test("the visitor that was kept stays, with the latest proof, unless the link names another", () => {
  expect(visitorFrom(kept(), "", never)).toEqual(kept());
  expect(visitorFrom(kept(), "#sender=visitor-1&signature=old", never)).toEqual(kept());
  expect(visitorFrom(kept(), "#sender=visitor-1&signature=new", yes)).toEqual({
    ...kept(),
    signature: "new",
  });
  expect(visitorFrom(kept(), "#sender=visitor-1&signature=made-up", no)).toEqual(kept());
  expect(visitorFrom(kept(), LINK, yes)).toMatchObject({ visitor: "ana@example.com", conversations: [] });
  expect(visitorFrom(kept(), "#sender=ana", never)).toEqual(kept());
  expect(visitorFrom(undefined, "", never).visitor).toMatch(/^visitor-/);
});

const said = { id: "m-1", text: "hi", at: 1, state: "acked" } as const;
test.each([
  ["is proven", { signature: "old", conversations: [], log: [] }],
  ["has a conversation", { signature: "", conversations: ["c_1"], log: [] }],
  ["has written", { signature: "", conversations: [], log: [said] }],
])("a visitor who %s becomes another only on request: another person may have sent the link", (_, about) => {
  const [before, asked]: [Visitor, string[][]] = [{ visitor: "visitor-1", ...about }, []];
  const stayed = visitorFrom(before, LINK, (...names) => {
    asked.push(names);
    return false;
  });
  expect(stayed).toEqual({ visitor: "visitor-1", ...about });
  expect(asked).toEqual([["ana@example.com", "visitor-1"]]);
  expect(visitorFrom(before, LINK, yes).visitor).toBe("ana@example.com");
});

test("a visitor who has written nothing yet is not asked before a link makes them another", () => {
  expect(visitorFrom(newVisitor(""), LINK, never).visitor).toBe("ana@example.com");
  expect(visitorFrom(undefined, LINK, never).visitor).toBe("ana@example.com");
});

test("what is no visitor is not taken for one", () => {
  expect(isVisitor(kept())).toBe(true);
  const spoilt = [null, undefined, "visitor-1", 7, [], {}, { visitor: "visitor-1" }];
  const halves = [
    { ...kept(), visitor: "" },
    { ...kept(), visitor: 7 },
    { ...kept(), log: {} },
    { ...kept(), conversations: undefined },
  ];
  expect([...spoilt, ...halves].filter(isVisitor)).toEqual([]);
});
