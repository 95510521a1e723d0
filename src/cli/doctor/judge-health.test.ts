import { expect, test } from "vitest";
import type { Health } from "./ask-health.ts";
import { judge, type Seen } from "./judge-health.ts";

const shown = "https://bot.example";
const proof = { store: "of this store", service: "of this service" };
const lull = (given: Partial<typeof proof> = {}): Health => ({ kind: "lull", proof: { ...proof, ...given } });
const error = (code: string): Health => ({ kind: "error", error: { code }, why: `bot.example ${code}` });
const absent = error("ECONNREFUSED");
const seen: Seen = { shown, port: 8080, there: lull(), here: lull(), store: proof.store, isShared: false };

test.each<[string, Partial<Seen>, RegExp]>([
  ["this service", {}, /^ok .* leads to this service$/],
  ["this service, whose store cannot be opened here", { store: undefined }, /^ok .* leads to this service$/],
  ["its database, while none runs here", { here: absent }, /^ok .*on this database, or on a copy of it$/],
  ["another machine of it", { there: lull({ service: "x" }), isShared: true }, /^ok .*on this store$/],
  [
    "functions of it",
    { there: lull({ service: "x" }), here: absent, isShared: true },
    /^ok .*on this store$/,
  ],
  ["a copy of its database", { there: lull({ service: "x" }) }, /^warn .*or a copy of it: end the one/],
  ["another service", { there: lull({ store: "x" }) }, /^fail .*another Lull.*http:\/\/127\.0\.0\.1:8080/],
  [
    "another service, while none runs here",
    { there: lull({ store: "x" }), here: absent },
    /^warn .*another Lull/,
  ],
  ["a service, and no store to compare", { here: absent, store: undefined }, /^skip .*no store here yet/],
  ["a service without a proof", { there: { kind: "lull" } }, /^warn .*does not say which one/],
  [
    "somebody's page",
    { there: { kind: "other", status: 404, type: "text/html" } },
    /^fail .*not Lull \(404, text\/html\)/,
  ],
  [
    "a redirect",
    { there: { kind: "other", status: 301, location: "https://www.bot.example/?token=CANARY" } },
    /^fail .*redirects to https:\/\/www\.bot\.example\/\?\*+: providers sign/,
  ],
  ["a door that is locked", { there: { kind: "other", status: 401 } }, /^fail .*turns callers away \(401\)/],
  ["a crowd", { there: { kind: "other", status: 429 } }, /^skip .*429/],
  [
    "a proxy without a service",
    { there: { kind: "other", status: 502 } },
    /^fail .*502, though the service runs.*:8080$/,
  ],
  [
    "the same, while none runs",
    { there: { kind: "other", status: 502 }, here: absent },
    /^skip .*502.*Start the service/,
  ],
  ["no name", { there: error("ENOTFOUND"), here: absent }, /^fail .*DNS record/],
  ["a wrong certificate", { there: error("CERT_HAS_EXPIRED") }, /^fail .*put the certificate right/],
  ["no TLS", { there: error("ERR_SSL_WRONG_VERSION_NUMBER") }, /^fail .*what ends TLS/],
  [
    "nothing that listens",
    { there: absent },
    /^warn .*from outside.*curl -i https:\/\/bot\.example\/healthz$/,
  ],
  [
    "nothing that listens, as none runs",
    { there: absent, here: absent },
    /^skip not seen: .*Start the service/,
  ],
])("a public URL that leads to %s", (_, given, line) => {
  const { verdict, detail } = judge({ ...seen, ...given });
  expect(`${verdict} ${detail}`).toMatch(line);
  expect(detail).not.toContain("CANARY");
});
