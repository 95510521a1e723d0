import { expect, test } from "vitest";
import { readOnce } from "./read-once.ts";

test("what is read of a request is read once in a row, and of each request for itself", () => {
  const asked: string[] = [];
  const read = readOnce(({ body }: { body: string }) => {
    asked.push(body);
    return body === "nothing" ? undefined : [body];
  });
  const [one, other, nothing] = [{ body: "one" }, { body: "one" }, { body: "nothing" }];
  expect(read(one)).toBe(read(one));
  expect([read(nothing), read(nothing)]).toEqual([undefined, undefined]);
  expect(asked).toEqual(["one", "nothing"]);
  const found = read(one);
  expect(read(other)).not.toBe(found);
  expect(read(one)).toEqual(found);
});
