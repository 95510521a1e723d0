import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { EdgeRequest } from "../edge-request.ts";
import type { Mountable } from "./mounted.ts";
import { mount as next } from "./next.ts";
import { perProcess } from "./per-process.ts";

const REQUEST = { path: "/" } as EdgeRequest;

beforeEach(() => vi.stubEnv("NODE_ENV", "development"));
afterEach(() => {
  vi.unstubAllEnvs();
  Reflect.deleteProperty(globalThis, Symbol.for("lull.per-process"));
});

/** What it was told, in order. */
const told: string[] = [];

function service(
  name: string,
  start: () => Promise<void> = async () => {},
): Mountable & { readonly name: string } {
  return {
    name,
    aliases: {},
    handle: async () => ({ status: 200, headers: {}, body: name }),
    async start() {
      told.push(`${name} starts`);
      await start();
    },
    async stop() {
      told.push(`${name} stops`);
    },
  };
}

beforeEach(() => void told.splice(0));
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("in production a module that is loaded again finds the service of the first", async () => {
  vi.stubEnv("NODE_ENV", "production");
  const first = perProcess(() => service("one"));
  await first.start();
  const again = perProcess((): Mountable => expect.fail("a second one is not made"));
  expect([(await again.handle(REQUEST)).body, told]).toEqual(["one", ["one starts"]]);
  await again.stop();
  expect(told).toEqual(["one starts", "one stops"]);
});

test("in development the newest takes the place of the one before, for all who hold it", async () => {
  const first = perProcess(() => service("one"));
  await first.start();
  const second = perProcess(() => service("two"));
  await settled();
  expect(told).toEqual(["one starts", "one stops", "two starts"]);
  expect([(await first.handle(REQUEST)).body, second.current().name]).toEqual(["two", "two"]);
});

test("it is made when it is first used, not when its module is loaded", async () => {
  let made = 0;
  const lull = perProcess(() => {
    made += 1;
    return service("one");
  });
  next(lull);
  next(lull, { at: "/lull" });
  expect(made).toBe(0);
  await lull.handle(REQUEST);
  await lull.start();
  expect(made).toBe(1);
});

test("one that was not started is not started by a reload", async () => {
  perProcess(() => service("one")).current();
  perProcess(() => service("two"));
  await settled();
  expect(told).toEqual(["one stops"]);
});

test("a newest that cannot start says so with every request, until one can", async () => {
  const first = perProcess(() => service("one"));
  await first.start();
  perProcess(() => service("broken", () => Promise.reject(new Error("the disk is full"))));
  await settled();
  await expect(first.handle(REQUEST)).rejects.toThrow("the disk is full");
  perProcess(() => service("mended"));
  await settled();
  expect((await first.handle(REQUEST)).body).toBe("mended");
});
