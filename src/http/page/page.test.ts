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

test("the script is a script, and knows its channel, and whether it asks for proofs", () => {
  expect(() => new Script(script)).not.toThrow();
  const opened = (about: { isUnsigned?: boolean }) =>
    /<body[^>]*>/.exec(phonePage("chat-2", about).body)?.[0];
  expect(opened({ isUnsigned: true })).toBe('<body data-channel="chat-2" data-proofs="none">');
  expect(opened({ isUnsigned: false })).toBe('<body data-channel="chat-2" data-proofs="asked">');
  expect(opened({})).toBe('<body data-channel="chat-2" data-proofs="asked">');
});
