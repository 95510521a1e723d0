import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { LullProcess } from "../lull-process.ts";
import { processFolder } from "../process-folder.ts";

const folder = processFolder();
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
});

function lull(command: string, env: Record<string, string>): LullProcess {
  return folder.start([command], {
    env: { PORT: "0", LULL_WEB: "1", LULL_WEB_UNSIGNED: "1", ...env },
  });
}

/** What stands in front of many services: it changes nothing, adds nothing, and calls from this machine. */
async function forwarderTo(url: string): Promise<string> {
  const server = createServer((caller) => {
    const inside = connect(Number(new URL(url).port), "127.0.0.1");
    caller.pipe(inside).pipe(caller);
    for (const socket of [caller, inside]) socket.on("error", () => {});
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** No server answers on that port. */
const PUBLIC = { LULL_PUBLIC_URL: "https://127.0.0.1:9" };

describe("the API of a public service without a token", () => {
  it("is off for callers through a forwarder that leaves no trace, and the start says so", async () => {
    const service = lull("start", PUBLIC);
    const outside = await forwarderTo(await service.url());
    for (const [method, path] of [
      ["GET", "/api/conversations"],
      ["POST", "/api/pause"],
      ["GET", "/api/openapi.json"],
    ] as const) {
      const answer = await fetch(outside + path, { method });
      expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining("the API is off")]);
    }
    expect(service.events).toContainEqual(expect.objectContaining({ event: "api.off", level: "warn" }));
  });

  it("takes answers to turns, where there is a token for them; the start and the doctor say so", async () => {
    const env = { ...PUBLIC, LULL_TURN_TOKEN: "a-token-that-answers-turns" };
    const service = lull("start", env);
    const url = await service.url();
    const answered = (path: string, token: string) =>
      fetch(url + path, { method: "POST", headers: token ? { authorization: `Bearer ${token}` } : {} });
    const stale = await answered("/api/turns/t_1/reply", env.LULL_TURN_TOKEN);
    expect([stale.status, await stale.text()]).toEqual([409, expect.stringContaining("STALE_TURN")]);
    const off = await answered("/api/pause", "");
    expect([off.status, await off.text()]).toEqual([403, expect.stringContaining("answers to turns only")]);
    const told = service.events.find(({ event }) => event === "api.off");
    expect(told?.detail).toMatch(/^turns only, with LULL_TURN_TOKEN: .*LULL_API_TOKEN/);
    const doctor = lull("doctor", env);
    expect((await doctor.gone()).code).toBe(0);
    expect(doctor.stdout).toMatch(/^warn {2}API: turns only, with LULL_TURN_TOKEN: .*LULL_API_TOKEN/m);
  });

  it("is told of by the doctor", async () => {
    const doctor = lull("doctor", PUBLIC);
    expect((await doctor.gone()).code).toBe(0);
    expect(doctor.stdout).toMatch(/^warn {2}API: off: .*LULL_API_TOKEN/m);
  });
});

describe.each(["start", "doctor"])("`lull %s`", (command) => {
  it.each([
    [{ LULL_API_TOKEN: "fifteen-letters" }, "LULL_API_TOKEN is shorter than 16 characters"],
    [{ LULL_TURN_TOKEN: "short" }, "LULL_TURN_TOKEN is shorter than 16 characters"],
    [
      { LULL_API_TOKEN: "one-token-for-all", LULL_TURN_TOKEN: "one-token-for-all" },
      "LULL_TURN_TOKEN is the same as LULL_API_TOKEN",
    ],
  ])("refuses %j", async (env, why) => {
    const process = lull(command, { ...PUBLIC, ...env });
    expect((await process.gone()).code).toBe(command === "start" ? 2 : 1);
    expect(process.stdout + process.stderr).toContain(why);
  });
});
