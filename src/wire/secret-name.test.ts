import { describe, expect, it } from "vitest";
import { isTellableName, meantBy } from "./secret-name.ts";

const arn = (name: string, account = "111122223333", region = "eu-west-1") =>
  `arn:aws:secretsmanager:${region}:${account}:secret:${name}`;
const meant = (offered: readonly string[], id: string) => meantBy(id, offered, (name) => name);

describe("a record means what is called exactly so, whatever else its name is like", () => {
  it.each<[string, string[]]>([
    ["keys of one secret", ["prod/openai#acme", "prod/openai#beta"]],
    ["a secret and a key of it", ["prod/openai#acme", "prod/openai"]],
    [
      "one name in two accounts",
      [arn("openai-AbCdEf", "111111111111"), arn("openai-GhIjKl", "222222222222")],
    ],
    ["one name in two regions", [arn("openai"), arn("openai", "111122223333", "us-east-1")]],
    ["names that end like an ARN", [arn("shop-berlin"), arn("shop-munich"), "shop", "shop-berlin"]],
  ])("among %s", (_among, offered) => {
    for (const each of offered) {
      expect(meant(offered, each)).toEqual([each]);
      expect(meant(offered.toReversed(), each)).toEqual([each]);
    }
  });
});

describe("a record means the secret that it names in another way", () => {
  it.each<[string, string[], string, string[]]>([
    ["by ARN, where the name is offered", ["prod/acme", "prod/beta"], arn("prod/beta-AbCdEf"), ["prod/beta"]],
    [
      "by name, where the ARN is offered",
      [arn("acme-AbCdEf"), arn("beta-AbCdEf")],
      "beta",
      [arn("beta-AbCdEf")],
    ],
    ["by a part of the ARN", [arn("acme-AbCdEf")], arn("acme"), [arn("acme-AbCdEf")]],
    ["without its key", ["prod/openai#acme"], "prod/openai", ["prod/openai#acme"]],
    ["by ARN, with its key", ["prod/x#one", "prod/x#two"], `${arn("prod/x-AbCdEf")}#two`, ["prod/x#two"]],
    [
      "by a name that ends like an ARN",
      ["prod/acme", "prod/acme-berlin"],
      arn("prod/acme-berlin"),
      ["prod/acme-berlin"],
    ],
  ])("%s", (_how, offered, id, found) => {
    expect(meant(offered, id)).toEqual(found);
  });

  it.each<[string, string[], string]>([
    ["of another account", [arn("acme", "111111111111")], arn("acme", "222222222222")],
    ["of another region", [arn("acme")], arn("acme", "111122223333", "us-east-1")],
    ["under another key", ["prod/openai#acme"], "prod/openai#beta"],
    ["that only begins alike", [arn("shop-berlin")], arn("shop-munich")],
    ["without an ARN's end, where there is no ARN", ["shop-berlin"], "shop"],
  ])("but none %s", (_which, offered, id) => {
    expect(meant(offered, id)).toEqual([]);
  });

  it("and all of them, where it does not say which", () => {
    const offered = ["prod/openai#acme", "prod/openai#beta"];
    expect(meant(offered, "prod/openai")).toEqual(offered);
  });
});

it.each(["acme", "prod/acme/openai#api_key", "openai-eu", arn("prod/acme-AbCdEf"), "team2/key.v2"])(
  "%s is a name that may be told",
  (name) => expect(isTellableName(name)).toBe(true),
);

it.each([
  "sk-short",
  `sk-proj-${"a1B2".repeat(10)}`,
  "0123456789abcdef0123456789abcdef",
  "aVeryLongRunOfLettersAsKeysHaveThem",
  "AKIAIOSFODNN7EXAMPLE",
  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  "two words",
])("%s may be the secret itself, and is not told", (key) => {
  expect(isTellableName(key)).toBe(false);
});
