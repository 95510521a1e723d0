import { expect, it } from "vitest";
import { KEPT_KINDS } from "../../../model/kept.ts";
import { KINDS_BY_PREFIX, KINDS_BY_TABLE } from "./kept.ts";

it("each kind is read from a table, and each item of a conversation's partition by a kind", () => {
  const kinds = new Set(Object.values(KINDS_BY_TABLE).flat());
  expect([...kinds].toSorted()).toEqual([...KEPT_KINDS].toSorted());
  for (const kind of Object.values(KINDS_BY_PREFIX)) expect(KINDS_BY_TABLE.messages).toContain(kind);
});
