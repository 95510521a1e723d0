import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { KNOBS } from "../config/knobs.ts";
import { CATALOGUE } from "./catalogue.ts";
import { run } from "./run.ts";

const cwd = mkdtempSync(join(tmpdir(), "lull-run-"));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

async function lull(argv: string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    env,
    cwd,
    stderrIsTty: false,
    nowMs: () => 0,
    out: (line: string) => void out.push(line),
    err: (text: string) => void err.push(text),
    logLine: (line: string) => void err.push(line),
  };
  return { code: await run(argv, io), out: out.join("\n"), err: err.join("") };
}

describe("help", () => {
  test("names every command", async () => {
    const { code, out } = await lull(["--help"]);
    expect(code).toBe(0);
    for (const { name, summary } of CATALOGUE) expect(out).toContain(`${name.padEnd(13)}  ${summary}`);
    expect((await lull([])).out).toBe(out);
  });

  test("is there for every command of every group", async () => {
    const names = CATALOGUE.flatMap((entry) =>
      "commands" in entry
        ? [[entry.name], ...entry.commands.map(({ name }) => [entry.name, name])]
        : [[entry.name]],
    );
    for (const name of names) {
      const { code, out, err } = await lull([...name, "--help"]);
      expect({ name, code, err }).toEqual({ name, code: 0, err: "" });
      expect(out).toContain(`lull ${name.join(" ")}`);
      expect((await lull(["help", ...name])).out).toBe(out);
    }
  });

  test("of start lists every setting that has a flag", async () => {
    const { out } = await lull(["start", "--help"]);
    for (const { flag } of KNOBS) if (flag) expect(out).toContain(`--${flag}`);
  });
});

test("the version is the package's", async () => {
  expect((await lull(["--version"])).out).toMatch(/^\d+\.\d+\.\d+/);
});

test.each([
  [["strat"], "strat is not a command. Did you mean start?"],
  [["frobnicate"], "frobnicate is not a command. There are: dev, init, start"],
  [["conversations", "lst"], "lst is not a command of lull conversations. Did you mean list?"],
  [["start", "--wrokers", "2"], "start has no option --wrokers. Did you mean --workers?"],
  [["start", "--workers"], "--workers needs a value"],
  [["config", "--json=1"], "--json takes no value"],
  [["conversations", "show"], "conversations show needs <id>"],
  [["locks", "now"], 'locks does not know what to do with "now"'],
  [["unknown", "mark", "u1", "lost"], "mark it sent or not-sent, not lost"],
  [["dead", "retry"], "name dead letters by id, or give --all"],
  [["dead", "retry", "d1", "--all"], "name dead letters by id, or give --all"],
  [["catch-up"], "--since is needed"],
  [["catch-up", "--since", "10"], "--since must be 30m, 2h, 1d or an ISO time"],
  [["catch-up", "--since", "99999999999w", "--beyond-memory"], "--since lies before 1970"],
  [["catch-up", "--since", "yesterday"], "--since must be 30m, 2h, 1d or an ISO time"],
])("%j is told in one line and ends with 2", async (argv, message) => {
  const { code, out, err } = await lull(argv);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(`lull: ${message}`);
});

test("a wrong value ends with 2 and no stack; with --verbose the stack is there", async () => {
  const wrong = await lull(["config"], { PORT: "x" });
  expect(wrong).toEqual({
    code: 2,
    out: "",
    err: 'lull: PORT must be a whole number from 0 to 65535, not "x"\n',
  });
  expect((await lull(["config", "--verbose"], { PORT: "x" })).err).toMatch(/\n\s+at /);
});

test("a database that is not there is not made by looking at it", async () => {
  const { code, err } = await lull(["conversations", "list"]);
  expect(code).toBe(1);
  expect(err).toContain(`there is no database at ${join(cwd, "data/lull.db")}`);
});

test("the help that is named is the failing command's own", async () => {
  expect((await lull(["dead", "retry"])).err).toBe(
    "lull: name dead letters by id, or give --all\nUsage: lull dead retry <id>... | --all\n" +
      "Run `lull dead retry --help` for help.\n",
  );
  expect((await lull(["frobnicate"])).err).toMatch(/\nRun `lull --help` for help\.\n$/);
});

test("a time may say its unit, whichever the setting's own is", async () => {
  const given = ["--window", "1500ms", "--retry-for", "2h", "--lease", "2m"];
  const { values } = JSON.parse(
    (await lull(["config", "--json", ...given], { LULL_DEDUPE_HOURS: "2d" })).out,
  );
  const asked = ["window.seconds", "limits.retryForSeconds", "limits.leaseSeconds", "limits.dedupeHours"];
  expect(asked.map((key) => values[key].value)).toEqual([1.5, 7_200, 120, 48]);
  expect((await lull(["config", "--concurrency", "5s"])).err).toContain('not "5s"');
});

describe("config", () => {
  const env = {
    LULL_API_TOKEN: "very-secret-token",
    OPENAI_API_KEY: "sk-very-secret",
    TWILIO_ACCOUNT_SID: "AC1",
    TWILIO_AUTH_TOKEN: "twilio-secret",
    TWILIO_SMS_FROM: "+15550101",
    LULL_WINDOW_SECONDS: "2.5",
  };

  test("shows each value with its origin, and no secret", async () => {
    const { code, out } = await lull(["config", "--port", "9090"], env);
    expect(code).toBe(0);
    expect(out).toMatch(/^port +9090 +--port$/m);
    expect(out).toMatch(/^window\.seconds +2\.5 +LULL_WINDOW_SECONDS$/m);
    expect(out).toMatch(/^host +127\.0\.0\.1 +default$/m);
    expect(out).toMatch(/^apiToken +\*+ +LULL_API_TOKEN$/m);
    expect(out).toMatch(/^channels\.sms +twilio sms \+15550101 +TWILIO_SMS_FROM$/m);
    expect(out).toMatch(/^responder +openai +OPENAI_API_KEY$/m);
    expect(out).not.toMatch(/secret/);
  });

  test.each(["--json", "--set"])("masks what a URL holds of them, too (%s)", async (flag) => {
    const urls = {
      OPENAI_BASE_URL: "https://proxy.example.test/v1?api_key=hunter2&region=eu",
      TWILIO_API_URL: "https://twilio.example.test",
      LULL_PUBLIC_URL: "https://ana:hunter2@bot.example.test/x",
    };
    const { out } = await lull(["config", flag], { ...env, ...urls });
    expect(out).not.toMatch(/hunter2|ana/);
    expect(out).toContain("https://proxy.example.test/v1?********");
    expect(out).toContain("https://********:********@bot.example.test/x");
    expect(out).toMatch(/https:\/\/twilio\.example\.test(?!\/)/);
  });

  const tenants = {
    windows: { "acme-web": { seconds: 3 } },
    handOffTo: { http: { url: "https://desk.example.test", secret: "desk-secret" } },
    projects: {
      acme: {
        channels: { "acme-web": { web: true, secret: "a-web-secret-of-acme" } },
        responder: { openai: { apiKey: "sk-secret", model: "m" } },
        responders: { "acme-web": { http: { url: "https://example.test", secret: "http-secret" } } },
        window: { quietSeconds: 4 },
        windows: { "acme-web": { quietSeconds: 2, maxSeconds: 9 } },
        limits: { stagedMessagesMax: 5 },
        admission: "known",
        allowedChannels: ["web", "sms"],
        tokens: { api: { env: "ACME_API" }, turn: "a-turn-secret-of-acme" },
      },
    },
  };

  test("shows what each project says, with where it is said, and none of its secrets", async () => {
    const { code, out, err } = await lull(["config", "--set"], { LULL_CONFIG: JSON.stringify(tenants) });
    expect([code, err]).toEqual([0, ""]);
    const rows = out.split("\n").map((row) => row.split(/ {2,}/));
    expect(rows).toEqual(
      expect.arrayContaining([
        ["windows.acme-web.seconds", "3", "LULL_CONFIG"],
        ["handOffTo", "http", "LULL_CONFIG"],
        ["projects.acme.channels.acme-web", "web acme-web", "LULL_CONFIG"],
        ["projects.acme.admission", "known", "LULL_CONFIG"],
        ["projects.acme.allowedChannels", "web, sms", "LULL_CONFIG"],
        ["projects.acme.window.quietSeconds", "4", "LULL_CONFIG"],
        ["projects.acme.limits.stagedMessagesMax", "5", "LULL_CONFIG"],
        ["projects.acme.windows.acme-web.maxSeconds", "9", "LULL_CONFIG"],
        ["projects.acme.responder", "openai", "LULL_CONFIG"],
        ["projects.acme.responders.acme-web", "http", "LULL_CONFIG"],
        ["projects.acme.tokens.api", '{"env":"ACME_API"}', "LULL_CONFIG"],
        ["projects.acme.tokens.turn", "********", "LULL_CONFIG"],
      ]),
    );
    expect(out).not.toMatch(/secret/);
    const json = await lull(["config", "--set", "--json"], { LULL_CONFIG: JSON.stringify(tenants) });
    expect(JSON.parse(json.out).values).toMatchObject({
      "projects.acme.limits.stagedMessagesMax": { value: 5, from: "LULL_CONFIG" },
      "projects.acme.responder": { value: "openai", from: "LULL_CONFIG" },
    });
    expect(json.out).not.toMatch(/secret/);
  });

  test("as JSON holds the same", async () => {
    const { out } = await lull(["config", "--set", "--json"], env);
    expect(JSON.parse(out)).toMatchObject({
      file: null,
      values: {
        apiToken: { value: "********", from: "LULL_API_TOKEN" },
        "window.seconds": { value: 2.5, from: "LULL_WINDOW_SECONDS" },
      },
      channels: { sms: { kind: "twilio sms", addresses: ["+15550101"], from: "TWILIO_SMS_FROM" } },
      responder: { kind: "openai", from: "OPENAI_API_KEY" },
    });
    expect(out).not.toMatch(/secret/);
  });
});
