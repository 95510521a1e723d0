import { expect, it } from "vitest";
import {
  absent,
  all,
  any,
  atMost,
  beginsWith,
  different,
  equal,
  expressions,
  present,
  within,
} from "./expression.ts";

it("conditions are named and then joined, whatever the attributes are called", () => {
  const isFree = absent("lease_token");
  const hasLapsed = atMost("lease_until_at_ms", 7);
  const isOther = different("status", "busy");
  expect(expressions({ condition: all(any(isFree, hasLapsed), isOther, present("status")) })).toEqual({
    ConditionExpression: "(attribute_not_exists(#n0) OR #n1 <= :v0) AND #n2 <> :v1 AND attribute_exists(#n2)",
    ExpressionAttributeNames: { "#n0": "lease_token", "#n1": "lease_until_at_ms", "#n2": "status" },
    values: { ":v0": 7, ":v1": "busy" },
  });
});

it("a change sets, removes what is undefined, keeps what is there, and adds", () => {
  const change = { set: { draft: undefined, rev: "r2" }, setIfAbsent: { listing: "1" }, add: { turns: 1 } };
  const condition = equal("rev", "r1");
  expect(expressions({ change, condition })).toEqual({
    UpdateExpression: "SET #n0 = :v0, #n1 = if_not_exists(#n1, :v1) REMOVE #n2 ADD #n3 :v2",
    ConditionExpression: "#n0 = :v3",
    ExpressionAttributeNames: { "#n0": "rev", "#n1": "listing", "#n2": "draft", "#n3": "turns" },
    values: { ":v0": "r2", ":v1": "1", ":v2": 1, ":v3": "r1" },
  });
});

it("a read says its key, its filter and its attributes", () => {
  const key = all(equal("conversation_id", "c"), beginsWith("item_id", "m#"));
  expect(expressions({ key, filter: present("body"), attributes: ["body", "role"] })).toEqual({
    KeyConditionExpression: "#n0 = :v0 AND begins_with(#n1, :v1)",
    FilterExpression: "attribute_exists(#n2)",
    ProjectionExpression: "#n2, #n3",
    ExpressionAttributeNames: { "#n0": "conversation_id", "#n1": "item_id", "#n2": "body", "#n3": "role" },
    values: { ":v0": "c", ":v1": "m#" },
  });
  expect(expressions({})).toEqual({ values: {} });
});

it("what is in a map is changed, and asked for, without the rest of it", () => {
  const change = { setWithin: { map: "attributes", set: { note: "x", "a.b": undefined } } };
  const condition = all(present("attributes"), within("attributes", equal("note", "w")));
  expect(expressions({ change, condition })).toEqual({
    UpdateExpression: "SET #n0.#n1 = :v0 REMOVE #n0.#n2",
    ConditionExpression: "attribute_exists(#n0) AND #n0.#n1 = :v1",
    ExpressionAttributeNames: { "#n0": "attributes", "#n1": "note", "#n2": "a.b" },
    values: { ":v0": "x", ":v1": "w" },
  });
});
