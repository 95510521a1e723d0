import { expect, test } from "vitest";
import { readOnce } from "./read-once.ts";

test("what is read of a request is read once, and of each request for itself", () => {
  const asked: string[] = [];
  const read = readOnce(({ body }: { body: string }) => {
    asked.push(body);
    return body === "nothing" ? undefined : [body];
  });
  const [one, other, nothing] = [{ body: "one" }, { body: "one" }, { body: "nothing" }];
  expect(read(one)).toBe(read(one));
  expect(read(other)).not.toBe(read(one));
  expect([read(nothing), read(nothing)]).toEqual([undefined, undefined]);
  expect(asked).toEqual(["one", "one", "nothing"]);
});
