import { expect, test } from "vitest";
import { AT_MS, said } from "./sample-feed.ts";
import { type KeyValues, VisitorStore } from "./visitor-store.ts";

const KEY = "lull.phone.web";

/** As a browser has it: one for all tabs. */
function browserStorage(): KeyValues & { items: Map<string, string> } {
  const items = new Map<string, string>();
  return { items, getItem: (key) => items.get(key) ?? null, setItem: (key, value) => items.set(key, value) };
}
const tab = (storage: () => KeyValues, hash = "", channel = "web", forgetLink: () => unknown = () => {}) =>
  new VisitorStore({
    channel,
    storage,
    isUnsigned: false,
    hash: () => hash,
    forgetLink: () => void forgetLink(),
    accepts: () => true,
  });
const refused = (): KeyValues => {
  throw new Error("SecurityError");
};

test("a reload finds the same visitor, messages and conversations", () => {
  const storage = browserStorage();
  const before = tab(() => storage);
  before.addMessage("hello", AT_MS);
  before.rememberConversation("c_1");
  before.save();
  const after = tab(() => storage);
  expect(after.current).toEqual(before.current);
  expect(after.current.log[0]).toMatchObject({ text: "hello", at: AT_MS, state: "waiting" });
  expect(after.current.log[0]?.id).toMatch(/^m-[0-9a-f]{32}$/);
});

test("what an earlier version kept is read as it is", () => {
  const storage = browserStorage();
  const entry = { id: "m-1", text: "hi", at: 1, state: "acked", ackedAt: 2, arrivedAt: 3, turn: "t1" };
  const kept = { visitor: "visitor-1", signature: "", conversations: ["c_1"], log: [entry] };
  storage.setItem(KEY, JSON.stringify(kept));
  expect(tab(() => storage).current).toEqual(kept);
});

test("channels keep their visitors apart", () => {
  const storage = browserStorage();
  const one = tab(() => storage);
  one.save();
  const other = tab(() => storage, "", "shop");
  other.save();
  expect(other.current.visitor).not.toBe(one.current.visitor);
  expect([...storage.items.keys()]).toEqual([KEY, "lull.phone.shop"]);
});

test("a private window without storage remembers as long as it is open", () => {
  const store = tab(refused);
  const { visitor } = store.current;
  store.addMessage("hello", AT_MS);
  expect(store.load().visitor).toBe(visitor);
  expect(store.load().log.map(({ text }) => text)).toEqual(["hello"]);
});

test.each(["{not json", "null", '"text"', "{}", '{"visitor":"visitor-1","log":7}'])(
  "%s in the storage makes a new visitor, and is overwritten",
  (spoilt) => {
    const storage = browserStorage();
    storage.setItem(KEY, spoilt);
    const store = tab(() => storage);
    store.save();
    expect(JSON.parse(storage.getItem(KEY) ?? "")).toEqual(store.current);
  },
);

test("two tabs of one visitor overwrite nothing of each other", () => {
  const storage = browserStorage();
  const one = tab(() => storage);
  one.save();
  const two = tab(() => storage);
  one.addMessage("from one", AT_MS);
  one.rememberConversation("c_1");
  one.save();
  two.addMessage("from two", AT_MS + 1);
  expect(two.current.log.map(({ text }) => text)).toEqual(["from one", "from two"]);
  expect(two.current.conversations).toEqual(["c_1"]);
});

test("starting over keeps nothing of the visitor before, and nothing of theirs comes back", () => {
  const storage = browserStorage();
  const store = tab(() => storage);
  store.addMessage("private", AT_MS);
  const { visitor } = store.current;
  store.startOver();
  store.save();
  expect(store.current.visitor).not.toBe(visitor);
  expect(storage.getItem(KEY)).not.toContain("private");
});

test("the newest 300 messages are kept", () => {
  const storage = browserStorage();
  const store = tab(() => storage);
  for (let n = 0; n < 300; n += 1) store.current.log.push(said(`m${n}`, { at: AT_MS + n }));
  store.addMessage("newest", AT_MS + 1_000);
  expect(store.current.log).toHaveLength(300);
  expect([store.current.log[0]?.id, store.current.log.at(-1)?.text]).toEqual(["m1", "newest"]);
});

test("the latest five conversations are known, the current one last", () => {
  const store = tab(() => browserStorage());
  for (const id of ["c_1", "c_2", "c_3", "c_4", "c_5", "c_6", "c_3", "c_3", undefined, ""])
    store.rememberConversation(id);
  expect(store.current.conversations).toEqual(["c_2", "c_4", "c_5", "c_6", "c_3"]);
});

test("a link leaves the address once its visitor is kept, and stays where nothing can be kept", () => {
  const forgotten: string[] = [];
  const link = "#sender=ana&signature=abc";
  const storage = browserStorage();
  tab(
    () => storage,
    link,
    "web",
    () => forgotten.push("kept"),
  );
  expect(tab(() => storage).current).toMatchObject({ visitor: "ana", signature: "abc" });
  tab(refused, link, "web", () => forgotten.push("refused"));
  expect(forgotten).toEqual(["kept"]);
});

test("where visitors prove nothing, a link names no visitor: its maker would read along", () => {
  const [link, forgotten]: [string, string[]] = ["#sender=visitor-of-a-stranger&signature=made-up", []];
  const storage = browserStorage();
  const opened = () =>
    new VisitorStore({
      channel: "web",
      isUnsigned: true,
      storage: () => storage,
      hash: () => link,
      forgetLink: () => void forgotten.push("link"),
      accepts: () => expect.unreachable("a link that proves nothing is nothing to ask for"),
    });
  const first = opened();
  expect(first.current).toMatchObject({
    visitor: expect.stringMatching(/^visitor-[0-9a-f]{32}$/),
    signature: "",
  });
  first.addMessage("hello", AT_MS);
  const again = opened();
  expect(again.current).toEqual(first.current);
  again.startOver();
  expect(again.current.visitor).not.toBe("visitor-of-a-stranger");
  expect(forgotten).toEqual(["link", "link"]);
});

test("what is said stays in its order, also where a clock that was ahead is put right in between", () => {
  const storage = browserStorage();
  const store = tab(() => storage);
  store.addMessage("first", AT_MS + 3_600_000);
  store.addMessage("second", AT_MS);
  store.save();
  expect(store.current.log.map(({ text }) => text)).toEqual(["first", "second"]);
});
