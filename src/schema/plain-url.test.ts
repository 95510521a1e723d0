import { describe, expect, it } from "vitest";
import { isPlainUrl, maskUrl, PUBLIC_URL_RULE, withoutUser, withoutUsers } from "./plain-url.ts";

describe("a URL of an API", () => {
  it("is http or https, with a path at most", () => {
    for (const url of ["http://127.0.0.1:9", "https://api.example.com/v1/", "https://x.example/@tenant"])
      expect([url, isPlainUrl(url)]).toEqual([url, true]);
    for (const url of ["", "x", "ftp://x", "https://u@x", "https://u:p@x", "https://:p@x", "https://x?"])
      expect([url, isPlainUrl(url)]).toEqual([url, false]);
    for (const url of ["https://x/?a", "https://x/?a=b", "https://x/#", "https://x#a"])
      expect([url, isPlainUrl(url)]).toEqual([url, false]);
  });

  it("has a query or credentials where that is meant", () => {
    expect(isPlainUrl("https://x/?a=b", { query: true })).toBe(true);
    expect(isPlainUrl("https://x/?a=b#c", { query: true })).toBe(false);
    expect(isPlainUrl("https://u:p@x/?a=b", { query: true })).toBe(false);
    expect(isPlainUrl("https://u:p@x/y", { credentials: true })).toBe(true);
    expect(isPlainUrl("https://u:p@x/y?z", { credentials: true })).toBe(false);
  });
});

describe("a public URL", () => {
  it.each([
    "https://x/webhooks/whatsapp",
    "https://x/lull/webhooks/sms/",
    "https://x/webhooks",
    "https://x/Webhooks/",
  ])("has no webhook's path already: %s", (url) => {
    expect(isPlainUrl(url)).toBe(true);
    expect(isPlainUrl(url, PUBLIC_URL_RULE)).toBe(false);
  });

  it.each(["https://x", "https://x/lull/", "https://webhooks.example/webhooks-of-acme"])(
    "may be %s",
    (url) => {
      expect(isPlainUrl(url, PUBLIC_URL_RULE)).toBe(true);
    },
  );
});

describe("what is shown of a URL", () => {
  it.each([
    ["https://bot.example.com/x", "https://bot.example.com/x"],
    ["https://x.example/@tenant", "https://x.example/@tenant"],
    ["https://user:SECRET@bot.example.com/x", "https://********:********@bot.example.com/x"],
    ["https://SECRET@bot.example.com/x", "https://********@bot.example.com/x"],
    ["https://bot.example.com/x?SECRET", "https://bot.example.com/x?********"],
    ["https://bot.example.com/x?a=b&sig=SECRET#SECRET", "https://bot.example.com/x?********#********"],
    ["htp://user:SECRET@bot.example.com", "htp://********@bot.example.com"],
    ["user:SECRET@bot.example.com/?SECRET", "********@bot.example.com/?********"],
    ["https://user:SEC/RET@bot.example.com", "https://********@bot.example.com"],
    ["https:/\\user:SECRET@[", "https:/\\********@["],
  ])("is nothing that opens a door: %s", (url, shown) => {
    expect(maskUrl(url)).toBe(shown);
  });

  it("in a sentence is without credentials", () => {
    expect(withoutUsers("cannot ask http://u:p@x/y?z, nor (https://w@v). me@example.com")).toBe(
      "cannot ask http://********@x/y?z, nor (https://********@v). me@example.com",
    );
  });

  it("to programs is without user and password", () => {
    expect(withoutUser("https://u:p@bot.example.com/x")).toBe("https://bot.example.com/x");
    expect(withoutUser("https://bot.example.com")).toBe("https://bot.example.com");
  });
});
