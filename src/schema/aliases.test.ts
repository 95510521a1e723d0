import { describe, expect, it } from "vitest";
import { ALIASES, aliasesAsText, aliasesInText } from "./aliases.ts";
import { problemsIn, TO_PEOPLE } from "./problems.ts";

const problemsOf = (aliases: unknown) => problemsIn(aliases, ALIASES, "aliases", TO_PEOPLE);

describe("a path that stands for a channel's", () => {
  it.each([
    "/webhook",
    "/webhook.php",
    "/old/wati-hook_1/~x",
    "/webhooks2",
    "/apis/v1",
    `/${"a".repeat(199)}`,
  ])("may be %s", (path) => {
    expect(problemsOf({ [path]: "wati" })).toEqual([]);
  });

  it.each([
    "",
    "/",
    "webhook",
    "//webhook",
    "/webhook/",
    "/a//b",
    "/webhook?passkey=x",
    "/webhook#x",
    "/web%68ook",
    "/webhook/*",
    "/{proxy+}",
    "/a/../b",
    "/./a",
    "/a/..",
    "/web hook",
    "/wébhook",
    "https://bot.example.com/webhook",
  ])("is no plain one: %j", (path) => {
    expect(problemsOf({ "/ok": "wati", [path]: "wati" })).toEqual([
      expect.stringContaining(`aliases: ${JSON.stringify(path.split("?")[0])} is no plain path`),
    ]);
  });

  it.each([
    "/healthz",
    "/readyz",
    "/api",
    "/api/hook",
    "/API/x",
    "/webhooks",
    "/webhooks/old",
    "/console",
    "/metrics",
  ])("is Lull's own: %s", (path) => {
    expect(problemsOf({ [path]: "wati" })).toEqual([expect.stringContaining("is Lull's own")]);
  });

  it("has 200 characters at most", () => {
    expect(problemsOf({ [`/${"a".repeat(200)}`]: "wati" })).toEqual([
      expect.stringContaining("has more than 200 characters"),
    ]);
  });

  it("has a channel's name beside it", () => {
    expect(problemsOf({ "/webhook": 1 })).toEqual(["aliases./webhook must be a text, not 1"]);
    expect(problemsOf(["/webhook"])).toEqual([expect.stringContaining("such as")]);
  });
});

describe("as one text", () => {
  it("they are read with blanks and a comma too many, and written as they are read", () => {
    const aliases = { "/webhook": "wati", "/old/sms": "sms" };
    expect(aliasesInText(" /webhook = wati,/old/sms=sms, ")).toEqual(aliases);
    expect(aliasesInText(aliasesAsText(aliases))).toEqual(aliases);
    expect(aliasesInText("")).toEqual({});
  });

  it.each(["/webhook", "/webhook=", "=wati", "/webhook=wati=x", "/a=b,c"])("they are not %s", (given) => {
    expect(aliasesInText(given)).toContain("must be paths and their channels");
  });

  it("no path is named twice", () => {
    expect(aliasesInText("/a=wati,/a=sms")).toBe('names "/a" twice');
  });
});
