import { afterEach, expect, it } from "vitest";
import { LullError } from "../../src/errors.ts";
import { eventually } from "../lull-process.ts";
import { type Desk, desk } from "./desk.ts";

let at: Desk;
afterEach(() => at.close());

const telling = (what: RegExp) =>
  eventually(String(what), async () => {
    const { out } = await at.type("status", "--port", "0");
    return what.test(out) ? out : undefined;
  });

it("`status` says what waits, why it fails, since when, and when it is tried again", async () => {
  let request = 0;
  at = await desk(() => {
    request += 1;
    const why = `the model answers 500 (request req_${request})`;
    throw new LullError(why, { code: "OPENAI_UNAVAILABLE", retry: "later", retryAfterMs: 60_000 });
  });
  expect((await at.type("status", "--port", "0")).out).toMatch(/^waiting +nothing$/m);
  await at.write("ana", "hi");
  await at.write("ben", "hi");
  const out = await telling(/2 conversations wait/);
  expect(out).toMatch(/^waiting +2 messages in 2 conversations$/m);
  expect(out).toMatch(
    /^failing +OPENAI_UNAVAILABLE: .*\n +2 conversations wait, since .*, tried again in \d+ (s|min)$/m,
  );
  const told = JSON.parse((await at.type("status", "--port", "0", "--json")).out);
  expect(told).toMatchObject({ service: { kind: "none" }, counts: { staged: 2 }, is_cut: false });
});

it("`status` says what needs a person, and why", async () => {
  at = await desk(() => {
    throw new LullError("the key was refused", { code: "OPENAI_UNAUTHORIZED", retry: "never" });
  });
  await at.write("ana", "hi");
  const out = await telling(/^dead +1 letter: lull dead$/m);
  expect(out).toMatch(/^ +last (now|.* ago): OPENAI_UNAUTHORIZED: the key was refused$/m);
  expect(out).toMatch(/^waiting +nothing$/m);
});

it("`status` says which project is stopped, which channels are barred, and the way back", async () => {
  at = await desk(() => "ok");
  expect((await at.type("status", "--port", "0")).out).not.toMatch(/^(stopped|barred)/m);
  await at.lull.changeProject("default", { status: "suspended", allowedChannels: ["web"] });
  const { out } = await at.type("status", "--port", "0");
  const refused = "messages are refused, and not kept; lull projects reset default";
  expect(out).toContain(`stopped   project default is suspended: ${refused}\n`);
  const told = JSON.parse((await at.type("status", "--port", "0", "--json")).out);
  expect(told.refusing).toMatchObject([{ project: "default", by: "status" }]);
});
