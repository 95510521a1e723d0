import { describe, expect, it } from "vitest";
import { legacyFrom } from "./message-item.ts";

describe("messages that another system keeps in its row", () => {
  it.each([
    [
      { role: "assistant", body: "one", message_sid: "SM1", timestamp: 5_000_000_000 },
      ["assistant", "one", "SM1"],
    ],
    [{ role: "user", content: "two", message_id: "id" }, ["user", "two", "id"]],
    [{ text: "three" }, ["user", "three", ""]],
    [{ role: "User", body: { a: 1 }, message_sid: 7 }, ["user", '{"a":1}', ""]],
    [{ role: " ASSISTANT ", body: "four" }, ["assistant", "four", ""]],
    [{ role: null, body: "five" }, ["user", "five", ""]],
    [{}, ["user", "", ""]],
  ])("are read, whatever they lack: %j", (entry, expected) => {
    const read = legacyFrom(entry)!;
    expect([read.role, read.text, read.turnId]).toEqual(expected);
    expect(read.media).toEqual([]);
  });

  it("without a time are before all others", () => {
    expect(legacyFrom({ text: "three" })?.atMs).toBe(0);
  });

  it.each(["system", "tool", "developer", "", 7, { of: "user" }])(
    "and that neither side said (role %j) are not the customer's words",
    (role) => expect(legacyFrom({ role, body: "You sell shoes." })).toBeUndefined(),
  );

  it("and are invalid are skipped", () => {
    expect([legacyFrom("hi"), legacyFrom(null)]).toEqual([undefined, undefined]);
  });
});
