import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LullProcess } from "../lull-process.ts";

let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "lull-secret-files-"));
  // Another user of the machine can get here.
  await chmod(folder, 0o755);
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function secretFile(name: string, secret: string, mode: number): Promise<{ file: string }> {
  const file = join(folder, name);
  await writeFile(file, secret);
  await chmod(file, mode);
  return { file };
}

async function doctorOf(config: object, mode = 0o644, ...args: string[]): Promise<string> {
  const file = join(folder, "lull.config.json");
  await writeFile(file, JSON.stringify({ publicUrl: "https://bot.example.test", ...config }));
  await chmod(file, mode);
  const doctor = new LullProcess(["doctor", ...args], { cwd: folder, env: { PORT: "0" } });
  await doctor.gone();
  return doctor.stdout;
}

const SECRETS = /^warn {2}secrets: .*/m;

describe("the doctor warns of secrets that others on this machine may read", () => {
  it("in files, wherever the configuration names them", async () => {
    const apiToken = await secretFile("api-token", "a-token-for-operators", 0o644);
    const secret = await secretFile("web-secret", "visitors-prove-with-this", 0o604);
    const apiKey = await secretFile("key", "sk-a-key-of-the-vendor", 0o600);
    const channels = { web: { web: true, secret } };
    const told = await doctorOf(
      { apiToken, channels, responder: { openai: { apiKey } } },
      0o644,
      "--offline",
    );
    expect(SECRETS.exec(told)?.[0]).toMatch(/chmod 600 \S*api-token \S*web-secret$/);
  });

  it("in the configuration itself, where they stand there as they are", async () => {
    const web = { web: true, secret: "visitors-prove-with-this" };
    const told = await doctorOf({ channels: { web } }, 0o644, "--offline");
    expect(SECRETS.exec(told)?.[0]).toMatch(/lull\.config\.json.*chmod 600 \S*lull\.config\.json$/);
    expect(told).not.toContain(web.secret);
    expect(await doctorOf({ channels: { web } }, 0o600, "--offline")).not.toMatch(SECRETS);
  });

  it("and not of what others cannot read: by its mode, by its folder, or without secrets", async () => {
    const apiToken = await secretFile("api-token", "a-token-for-operators", 0o640);
    await mkdir(join(folder, "closed"), { mode: 0o700 });
    const secret = await secretFile("closed/web-secret", "visitors-prove-with-this", 0o644);
    const told = await doctorOf({ apiToken, channels: { web: { web: true, secret } } }, 0o644, "--offline");
    expect(told).not.toMatch(SECRETS);
  });
});
