import { createHash } from "node:crypto";
import { Script } from "node:vm";
import { expect, test } from "vitest";
import { phonePage } from "./page.ts";

const { body, headers } = phonePage("web", { isUnsigned: false });
const policy = headers["content-security-policy"] ?? "";
const sha = (source: string) => `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
const script = /<script>(.*)<\/script>/s.exec(body)?.[1] ?? "";
const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? "";

test("the page runs only the script and the style it was made with, and loads nothing", () => {
  expect([script.length, style.length].every((length) => length > 1_000)).toBe(true);
  expect(policy).toContain(`script-src ${sha(script)};`);
  expect(policy).toContain(`style-src ${sha(style)};`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
  expect(body).not.toMatch(/\b(?:src|href)="(?!#|data:)/);
  expect(body).not.toMatch(/@import|url\(|\bstyle="|\bon\w+="/);
});

test("the script is a script, and knows its channel, and what it asks for and shows", () => {
  expect(() => new Script(script)).not.toThrow();
  const opened = (about: { isUnsigned?: boolean; showsReasons?: boolean }) =>
    /<body[^>]*>/.exec(phonePage("chat-2", about).body)?.[0];
  const body = (proofs: string, reasons: string) =>
    `<body data-channel="chat-2" data-proofs="${proofs}" data-reasons="${reasons}">`;
  expect(opened({ isUnsigned: true })).toBe(body("none", "kept"));
  expect(opened({ isUnsigned: false, showsReasons: false })).toBe(body("asked", "kept"));
  expect(opened({ showsReasons: true })).toBe(body("asked", "shown"));
});
