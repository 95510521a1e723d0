import { describe, expect, it } from "vitest";
import { addressProblem, canonicalAddress, mayBring } from "./own-addresses.ts";

const shop = { type: "whatsapp", addresses: ["+15550100", "+15550101"] };
const clinic = { type: "whatsapp", addresses: ["15550199"] };

it.each([
  ["whatsapp:+15550100", "15550100"],
  [" +15550100", "15550100"],
  ["15550100", "15550100"],
  ["wati", "wati"],
  ["+a", "+a"],
  ["sales@example.test", "sales@example.test"],
])("%j is %j", (given, canonical) => {
  expect(canonicalAddress(given)).toBe(canonical);
});

describe("channels beside each other", () => {
  it.each([
    ["one, whatever it says", { shop: { type: "whatsapp" } }],
    ["one that says nothing, beside one of another type", { shop, sms: { type: "sms" } }],
    ["two of a type with addresses of their own", { shop, clinic }],
    ["two types with one address", { shop, sms: { ...shop, type: "sms" } }],
  ])("may be %s", (_, channels) => {
    expect(addressProblem(channels)).toBeUndefined();
  });

  it.each([
    [{ shop, clinic: { type: "whatsapp" } }, "set its `addresses` of channel clinic"],
    [{ shop: { type: "whatsapp", addressesSetBy: "`from`" }, clinic }, "set `from` of channel shop"],
    [{ shop, clinic: { type: "whatsapp", addresses: [] } }, "set its `addresses` of channel clinic"],
    [{ shop, clinic: { type: "whatsapp", addresses: ["15550101"] } }, "the same address +15550101"],
  ])("must each say which addresses are its own, and no two the same: %#", (channels, words) => {
    expect(addressProblem(channels)).toContain(words);
  });
});

describe("a channel brings messages", () => {
  it("for every address, where it names none and is the only one of its type", () => {
    expect(mayBring({ shop, sms: { type: "sms" } }, "sms", "+15550100")).toBe(true);
    expect(mayBring({ sms: { type: "sms", addresses: [] } }, "sms", "+15550100")).toBe(true);
  });

  it.each([
    ["alone", { shop }],
    ["beside others", { shop, clinic }],
  ])("for its own only, where it names them, %s, whichever way they are written", (_, channels) => {
    expect(["15550101", "whatsapp:+15550101"].map((to) => mayBring(channels, "shop", to))).toEqual([
      true,
      true,
    ]);
    expect(["+15550199", "+15550142", ""].map((to) => mayBring(channels, "shop", to))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("for none, where it names none beside others of its type", () => {
    expect(mayBring({ shop, clinic: { type: "whatsapp" } }, "clinic", "+15550199")).toBe(false);
  });
});
