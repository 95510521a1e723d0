import { expect, test } from "vitest";
import { isAbout } from "./named-rows.ts";

const row = (values: object) => JSON.stringify(values);
const record = (values: object) => row({ number: 1, record: JSON.stringify(values) });

test.each([
  ["in a column", row({ id: "c_1", sender: "ana" })],
  ["as another name", row({ sender_alias: "ana" })],
  ["in a record", record({ message: { sender: "ana", text: "hi" } })],
  ["behind a channel's prefix", record({ message: { replyTo: "whatsapp:ana" } })],
  [
    "in what is no UTF-8",
    row({ item: { hex: Buffer.from('{"sender":"ana",\xff', "latin1").toString("hex").toUpperCase() } }),
  ],
  ["in what is no JSON any more", row({ state: '{"message":{"sender":"ana","te' })],
])("a row names a person %s", (_, raw) => {
  expect(isAbout(raw, ["berta", "ana"])).toBe(true);
  expect(isAbout(raw, ["berta"])).toBe(false);
  expect(isAbout(raw, ["an"])).toBe(false);
});

test.each(["id", "sender", "kind", "text", "c_1", "whatsapp", "hi", "number"])(
  "a person called %s is not in every row",
  (name) => {
    const raw = record({
      id: "c_1",
      kind: "text",
      channelType: "whatsapp",
      message: { sender: "ana", text: "hi" },
    });
    expect(isAbout(raw, [name])).toBe(false);
  },
);

test("names with signs that JSON escapes are found", () => {
  for (const name of ['a"b', "a\\b", "a\nb", "\u{1f600}"])
    expect(isAbout(record({ sender: name }), [name])).toBe(true);
});
