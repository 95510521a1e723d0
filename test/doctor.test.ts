import { writeFile } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { silentPeer } from "../src/testing/bad-peer.ts";
import { fakeTwilio } from "../src/testing/fake-twilio.ts";
import { freePort } from "./free-port.ts";
import { processFolder } from "./process-folder.ts";
import { typed } from "./typed-command.ts";

const folder = processFolder();
const SECRET = { LULL_WEB_SECRET: "a-secret-of-the-web-channel", LULL_WEB: "1" };

interface Told {
  readonly check: string;
  readonly verdict: string;
  readonly detail: string;
}

async function doctor(env: Readonly<Record<string, string>>, ...args: string[]): Promise<readonly Told[]> {
  const { out } = await typed(["doctor", "--json", ...args], { cwd: folder.path, env });
  return (JSON.parse(out) as { findings: Told[] }).findings;
}

const verdictsOf = (findings: readonly Told[], check: string) =>
  findings.filter((found) => found.check === check).map(({ verdict }) => verdict);

let server: Server | undefined;
afterEach(() => void server?.close());

async function served(listener: RequestListener): Promise<string> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

describe("the doctor calls the public URL", () => {
  const aboutUrl = async (env: Readonly<Record<string, string>>) =>
    (await doctor(env)).filter(
      ({ check, detail }) => check === "public URL" && !detail.includes("is not https"),
    );

  test("and sees this service, whichever of its workers answers, and no other for it", async () => {
    const [port, other] = [String(await freePort()), String(await freePort())];
    const at = (each: string) => `http://127.0.0.1:${each}`;
    const env = { ...SECRET, PORT: port, LULL_WORKERS: "2", LULL_PUBLIC_URL: at(port) };
    await folder.start(["start"], { env }).url();
    expect(await aboutUrl(env)).toEqual([
      { check: "public URL", verdict: "ok", detail: `${at(port)} leads to this service` },
    ]);
    const another = { ...SECRET, PORT: other, LULL_DB: "another/lull.db" };
    await folder.start(["start"], { env: another }).url();
    expect(await aboutUrl({ ...env, LULL_PUBLIC_URL: at(other) })).toMatchObject([
      { verdict: "fail", detail: expect.stringMatching(/another Lull answers, with another database/) },
    ]);
    // On the same database, and yet not the one that is configured here.
    const twin = { ...SECRET, PORT: String(await freePort()) };
    await folder.start(["start"], { env: twin }).url();
    expect(await aboutUrl({ ...env, LULL_PUBLIC_URL: at(twin.PORT) })).toMatchObject([
      { verdict: "warn", detail: expect.stringMatching(/another service answers than on port/) },
    ]);
  });

  test("through a proxy that wants a password and adds a path", async () => {
    const port = await freePort();
    const url = await served(async (request, response) => {
      const isRight = request.headers.authorization === `Basic ${btoa("ana:pass word")}`;
      if (!isRight || !request.url?.startsWith("/lull/")) return void response.writeHead(401).end();
      const answer = await fetch(`http://127.0.0.1:${port}${request.url.slice("/lull".length)}`);
      response.writeHead(answer.status).end(await answer.text());
    });
    const env = {
      ...SECRET,
      PORT: String(port),
      LULL_PUBLIC_URL: `${url.replace("//", "//ana:pass%20word@")}/lull`,
    };
    await folder.start(["start"], { env }).url();
    expect(await aboutUrl(env)).toMatchObject([
      { verdict: "ok", detail: expect.stringMatching(/leads to this service$/) },
    ]);
    expect(await aboutUrl({ ...env, LULL_PUBLIC_URL: `${url}/lull` })).toMatchObject([
      { verdict: "fail", detail: expect.stringMatching(/turns callers away \(401\)/) },
    ]);
  });

  test.each<[string, RequestListener, RegExp]>([
    [
      "somebody's page",
      (_, response) => void response.end("<html>"),
      /^warn .*something answers that is not Lull/,
    ],
    [
      "a redirect",
      (_, response) => void response.writeHead(308, { location: "/x" }).end(),
      /^fail .*redirects to \/x/,
    ],
    [
      "a proxy without a service",
      (_, response) => void response.writeHead(502).end(),
      /^skip not seen: .*502/,
    ],
  ])("and names what it finds: %s", async (_, listener, line) => {
    const env = { ...SECRET, PORT: String(await freePort()), LULL_PUBLIC_URL: await served(listener) };
    const [found] = await aboutUrl(env);
    expect(`${found?.verdict} ${found?.detail}`).toMatch(line);
  });
});

/** What can only be known by asking another machine. */
const ASKED = ["clock", "channel sms", "webhook sms", "responder", "responder of channel sms", "public URL"];

describe("no check says ok of what nothing looked at, nor skip of what held", () => {
  const twilio = fakeTwilio({ nowMs: Date.now });
  beforeAll(() => twilio.start());
  afterAll(() => twilio.stop());

  const env = (at: string, publicUrl: string, port = "0") => ({
    TWILIO_API_URL: at,
    TWILIO_ACCOUNT_SID: "AC00000000000000000000000000000001",
    TWILIO_AUTH_TOKEN: "token",
    TWILIO_SMS_FROM: "+15550100",
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${at}/v1`,
    LULL_PUBLIC_URL: publicUrl,
    PORT: port,
  });

  test("where all is well, whatever could be asked is ok", async () => {
    const port = String(await freePort());
    const url = `http://127.0.0.1:${port}`;
    const openAi = await served((_, response) => void response.end("{}"));
    twilio.configure({ numbers: [{ number: "+15550100", smsUrl: `${url}/webhooks/sms#rc=3&rp=all` }] });
    const here = { ...env(twilio.url, url, port), OPENAI_BASE_URL: openAi };
    await folder.start(["start"], { env: here }).url();
    const findings = await doctor(here);
    for (const check of ["clock", "channel sms", "webhook sms", "responder", "service", "store", "database"])
      expect([check, verdictsOf(findings, check)]).toEqual([check, ["ok"]]);
    // Its URL here is http.
    expect(verdictsOf(findings, "public URL")).toEqual(["warn", "ok"]);
    expect(findings.filter(({ verdict }) => verdict === "skip")).toEqual([]);
  });

  test("offline, in an empty folder, all of it is skipped, with the reason", async () => {
    const findings = await doctor(env(twilio.url, "https://127.0.0.1:9"), "--offline");
    const before = twilio.requests.length;
    for (const { check, verdict, detail } of findings)
      if (ASKED.includes(check))
        expect([check, verdict, detail]).toEqual([check, "skip", expect.stringMatching(/--offline/)]);
    for (const check of ["store", "service"])
      expect([check, verdictsOf(findings, check)]).toEqual([check, ["skip"]]);
    expect(findings.filter(({ check }) => ASKED.includes(check)).length).toBe(ASKED.length - 1);
    expect(twilio.requests.length).toBe(before);
  });

  test("where every machine is silent, nothing of it is ok, all at once and in time", async () => {
    const peer = await silentPeer();
    const findings = await doctor(env(peer.url, peer.url));
    await peer.close();
    for (const { check, verdict, detail } of findings)
      if (ASKED.includes(check))
        expect([check, verdict, detail]).not.toEqual([check, "ok", expect.anything()]);
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "channel sms",
        detail: expect.stringMatching(/takes connections and does not answer/),
      }),
    );
    expect(findings).toContainEqual(
      expect.objectContaining({
        check: "responder",
        detail: expect.stringMatching(/takes connections and does not answer/),
      }),
    );
  }, 60_000);
});

test("a database that cannot be made is told by doctor and start with what is in the way", async () => {
  const inTheWay = join(folder.path, "data");
  await writeFile(inTheWay, "");
  const why = `${inTheWay} is a file where a folder has to be: choose another path (--db, LULL_DB)`;
  const findings = await doctor({ LULL_WEB: "1", PORT: "0" }, "--offline");
  expect(findings.find(({ check }) => check === "database")).toMatchObject({
    verdict: "fail",
    detail: expect.stringContaining(why),
  });
  for (const check of ["disk space", "file system", "rights"])
    expect(verdictsOf(findings, check)).toEqual([]);
  const start = folder.start(["start"], { env: { LULL_WEB: "1", PORT: "0" } });
  expect(await start.gone()).toMatchObject({ code: 1 });
  expect(start.stderr).toContain(why);
});
