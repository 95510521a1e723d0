import { afterEach, expect, it } from "vitest";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { typed } from "../typed-command.ts";

let at: Surroundings;
afterEach(() => at.end());

const WATI = { WATI_TOKEN: "t", WATI_WEBHOOK_SECRET: "the-right-passkey", WATI_NUMBERS: "50320000000" };

async function started(): Promise<void> {
  at = await surroundings(({ wati }) => ({ ...WATI, WATI_API_URL: wati.url }));
  await at.start(2);
}

/** A command beside the service. */
function type(command: string, env: Record<string, string | undefined> = at.env) {
  const args = [command, "--port", new URL(at.url()).port];
  return typed(args, { cwd: at.folder, env });
}

const called = async (path: string) => {
  // A connection of its own each: any worker may get it.
  const init = { headers: { connection: "close" }, body: "{}" };
  return (await at.post(path, init)).status;
};

it("`status` and `doctor` tell of webhooks with a wrong passkey, whichever worker refused them", async () => {
  await started();
  expect((await type("status")).out).not.toMatch(/^webhooks/m);
  for (let count = 0; count < 5; count += 1)
    expect(await called("/webhooks/wati?passkey=another-passkey")).toBe(401);
  expect(await called("/webhooks/nowhere")).toBe(404);
  const { out } = await type("status");
  expect(out).toMatch(
    /^webhooks +5 webhooks of wati were refused in the last hour, INVALID_SIGNATURE: .*passkey/m,
  );
  expect(out).toMatch(/^webhooks +1 webhook for no channel that is configured .*, ROUTE_NOT_FOUND: /m);
  expect((await type("doctor")).out).toMatch(/^warn +webhooks: 5 webhooks of wati were refused/m);
});

it("`status` says so where the service does not tell it what was refused", async () => {
  await started();
  const { out } = await type("status", { ...at.env, LULL_API_TOKEN: "a-token-of-another-service" });
  expect(out).toMatch(/^service +runs, and is ready$/m);
  expect(out).toContain("which webhooks it refused it tells only with its API token: LULL_API_TOKEN");
});
