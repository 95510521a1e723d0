import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { eventually, LullProcess } from "../../test/lull-process.ts";
import { type Environment, type Outside, outside } from "../../test/service/outside.ts";
import { chat } from "../../test/visitors.ts";
import { unavailable } from "./emulators.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

/** What a person sees who runs `npm run aws:local`. */
describe.skipIf(unavailable)("npm run aws:local", () => {
  let folder: string;
  let url: string;
  let people: Outside;
  let running: LullProcess[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "lull-"));
    people = await outside(() => url);
    running = [];
  });
  afterEach(async () => {
    for (const process of running) process.kill("SIGKILL");
    await Promise.all(running.map((process) => process.gone().catch(() => {})));
    await people.leave();
    await rm(folder, { recursive: true, force: true });
  });

  function run(environment: Environment, command?: readonly string[]): LullProcess {
    const env = { PORT: "0", LULL_WINDOW_SECONDS: "1", ...environment };
    const started = new LullProcess(command ?? [], { cwd: folder, env, ...(!command && { main: MAIN }) });
    running.push(started);
    return started;
  }

  async function start(environment: Environment = {}): Promise<LullProcess> {
    const local = run({ ...people.env, ...environment });
    url = await local.url();
    return local;
  }

  /** This process and all its descendants, as the kernel knows them. */
  async function family(pid: number): Promise<number[]> {
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
    const below = await Promise.all(children.trim().split(" ").filter(Boolean).map(Number).map(family));
    return [pid, ...below.flat()];
  }

  const ended = (pids: readonly number[]) =>
    eventually("the end of all processes", async () => (pids.some(isAlive) ? undefined : true));

  it("answers a burst once, logs to stderr, and Ctrl-C leaves nothing behind", async () => {
    const { TWILIO_AUTH_TOKEN: authToken } = people.env;
    await writeFile(join(folder, "secrets.json"), JSON.stringify({ "prod/twilio": { authToken } }));
    const local = await start({
      TWILIO_AUTH_TOKEN: "",
      TWILIO_AUTH_TOKEN_SECRET: "prod/twilio#authToken",
      LULL_LOCAL_SECRETS: "secrets.json",
      LULL_LOCAL_SWEEP_SECONDS: "0.5",
    });
    for (const text of ["one", "two", "three"]) expect((await people.write(1, text)).status).toBe(200);
    await people.twilio.whenSent(1);
    expect(people.twilio.sent.map(({ body }) => body)).toEqual(["answer to: one\ntwo\nthree"]);
    await local.event("the commit", ({ event }) => event === "turn.committed");
    const { env } = await local.event("where it is", ({ event }) => event === "local.ready");
    const looking = run(env as Environment, ["conversations", "list", "--json"]);
    expect(await looking.gone()).toMatchObject({ code: 0 });
    expect(JSON.parse(looking.stdout).items).toHaveLength(1);
    const pids = await family(local.child.pid!);
    // Itself, the emulator and its guard, webhook, worker, sweeper.
    expect(pids.length).toBeGreaterThanOrEqual(6);
    local.kill("SIGINT");
    expect(await local.gone()).toEqual({ code: 0, signal: null });
    expect(pids.filter(isAlive)).toEqual([]);
    expect(local.stdout).toBe(`lull listening on ${url}\n`);
  });

  it("lets a running turn finish when it is told to stop", async () => {
    const local = await start();
    const answer = Promise.withResolvers<void>();
    people.openai.behave(() => answer.promise.then(() => "at last"));
    await people.write(1, "hi");
    await people.openai.whenAsked(1);
    local.kill("SIGTERM");
    await eventually("a closed port", async () =>
      (await fetch(url).catch(() => "closed")) === "closed" ? true : undefined,
    );
    answer.resolve();
    expect(await local.gone()).toEqual({ code: 0, signal: null });
    expect(people.twilio.sent.map(({ body }) => body)).toEqual(["at last"]);
  });

  it("stops at once at the second signal", async () => {
    const local = await start();
    people.openai.behave(() => ({ kind: "hang" }));
    await people.write(1, "hi");
    await people.openai.whenAsked(1);
    const pids = await family(local.child.pid!);
    local.kill("SIGINT");
    await eventually("a closed port", async () =>
      (await fetch(url).catch(() => "closed")) === "closed" ? true : undefined,
    );
    // The same request within a moment counts once, so it is made until it is heard.
    await eventually("its end", async () => {
      local.kill("SIGINT");
      return local.child.exitCode ?? undefined;
    });
    expect(await local.gone()).toEqual({ code: 130, signal: null });
    await ended(pids);
  });

  it("goes on after a kill -9 where it keeps its data, and nothing of it is left running", async () => {
    const data = { LULL_LOCAL_DATA: "data", LULL_WINDOW_SECONDS: "3" };
    const first = await start(data);
    for (const text of ["one", "two"]) expect((await people.write(1, text)).status).toBe(200);
    const pids = await family(first.child.pid!);
    first.kill("SIGKILL");
    await ended(pids);
    await start(data);
    await people.twilio.whenSent(1);
    expect(people.openai.asked.map(({ lastUserText }) => lastUserText)).toEqual(["one\ntwo"]);
  });

  it("has the phone page where nothing else is configured, so that one can write to it at once", async () => {
    const local = run({});
    url = await local.url();
    expect(local.stderr).toContain("No channel is configured: open the URL below");
    expect(await (await fetch(url)).text()).toContain("<html");
    expect(await chat(url, ["hi", "are you open?"])).toEqual(["2 messages, one answer:\nhi\nare you open?"]);
  });

  it("says in one line what is missing", async () => {
    const refused = run({ LULL_WEB: "0" });
    expect(await refused.gone()).toEqual({ code: 2, signal: null });
    expect(refused.stderr).toMatch(/^lull: no channel is configured\. /);
    expect(refused.stdout).toBe("");
    const odd = run({ ...people.env, LULL_LOCAL_SWEEP_SECONDS: "often" });
    expect(await odd.gone()).toMatchObject({ code: 2 });
    expect(odd.stderr).toMatch(/^lull: LULL_LOCAL_SWEEP_SECONDS must be /);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
