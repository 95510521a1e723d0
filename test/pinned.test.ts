import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import peers from "../bench/package.json" with { type: "json" };
import peersLock from "../bench/package-lock.json" with { type: "json" };
import lock from "../package-lock.json" with { type: "json" };

interface Entry {
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
}

/**
 * What comes from a registry. A bundled package comes inside its parent, whose integrity is its own; ours are
 * in this repository.
 */
const fetched = [lock, peersLock]
  .flatMap(({ packages }) => Object.entries(packages as Record<string, Entry>))
  .filter(([path, { link, inBundle }]) => path.includes("node_modules/") && !link && !inBundle);

test("what Lull is measured beside is one version each", () => {
  const locked = Object.keys(peers.dependencies).map((name) => {
    const { version } = (peersLock.packages as Record<string, { version?: string }>)[`node_modules/${name}`]!;
    return [name, version];
  });
  expect(Object.fromEntries(locked)).toEqual(peers.dependencies);
});

test("every package that is fetched is known by its hash", () => {
  expect(fetched.length).toBeGreaterThan(100);
  const unknown = fetched.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ""));
  expect(unknown.map(([path]) => path)).toEqual([]);
});

test("the lock names no host: every user installs from their own registry", () => {
  const hosts = fetched.filter(([, { resolved }]) => resolved !== undefined);
  expect(hosts.map(([path]) => path)).toEqual([]);
});

test("the image is built on an image that is known by its digest, the same for building and running", () => {
  const file = readFileSync(new URL("../Dockerfile", import.meta.url), "utf8");
  const bases = [...file.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
  expect(bases).toHaveLength(2);
  expect(new Set(bases).size).toBe(1);
  expect(bases[0]).toMatch(/^node:24\.\d+\.\d+-\w+-slim@sha256:[0-9a-f]{64}$/);
});
