import { createHmac } from "node:crypto";
import { expect, test, vi } from "vitest";
import { hmacSha1 } from "./hmac.ts";

const SECRETS = [
  "",
  "k",
  "token".repeat(12),
  "k".repeat(63),
  "k".repeat(64),
  "k".repeat(65),
  "ключ 🔑".repeat(20),
];
const TEXTS = ["", "hello", "¿está abierto? 🙂", "\ud800 half a pair", "x".repeat(63), "x".repeat(7_999)];
const LONG = ["x".repeat(8_000), "€".repeat(8_000), "x".repeat(8_001), "€".repeat(100_000)];

test("is what OpenSSL makes of it, for secrets and texts of every length", () => {
  for (const text of [...TEXTS, ...LONG, ...TEXTS])
    for (const secret of [...SECRETS, ...SECRETS])
      expect(hmacSha1(secret, text)).toBe(createHmac("sha1", secret).update(text, "utf8").digest("base64"));
});

test("is that of RFC 2202", () => {
  const hex = (base64: string) => Buffer.from(base64, "base64").toString("hex");
  expect(hex(hmacSha1("Jefe", "what do ya want for nothing?"))).toBe(
    "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
  );
});

test("makes a key once for each account, also where webhooks of several come in turn", () => {
  const inTurn = () => {
    for (const secret of ["account one", "account two", "account one"]) hmacSha1(secret, "hello");
  };
  inTurn();
  const made = [vi.spyOn(Buffer, "alloc"), vi.spyOn(Buffer, "from")];
  inTurn();
  const calls = made.map((spy) => spy.mock.calls.length);
  for (const spy of made) spy.mockRestore();
  expect(calls).toEqual([0, 0]);
});

test("is right for more accounts than are kept", () => {
  const secrets = Array.from({ length: 1_002 }, (_, n) => `account ${n}`);
  for (const secret of [...secrets, secrets[0]!])
    expect(hmacSha1(secret, "hi")).toBe(createHmac("sha1", secret).update("hi").digest("base64"));
});
