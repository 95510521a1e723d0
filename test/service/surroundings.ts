import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeOpenAi } from "../../src/testing/fake-openai.ts";
import { fakeTwilio, signedWebhook } from "../../src/testing/fake-twilio.ts";
import { LullProcess } from "../lull-process.ts";

const ACCOUNT = "AC00000000000000000000000000000001";
const AUTH_TOKEN = "test-auth-token";
const FROM = "+14155238886";

export type Environment = Record<string, string>;

/** Fake providers, an empty folder, and real processes in between: what a customer's machine would look like. */
export async function surroundings(environment: Environment = {}) {
  const folder = await mkdtemp(join(tmpdir(), "lull-"));
  const twilio = fakeTwilio({ accountSid: ACCOUNT, authToken: AUTH_TOKEN });
  const openai = fakeOpenAi();
  await Promise.all([twilio.start(), openai.start()]);
  const running: LullProcess[] = [];
  let url = "";
  let count = 0;

  const env: Environment = {
    PORT: "0",
    LULL_DB: join(folder, "lull.db"),
    LULL_WINDOW_SECONDS: "1",
    TWILIO_ACCOUNT_SID: ACCOUNT,
    TWILIO_AUTH_TOKEN: AUTH_TOKEN,
    TWILIO_API_URL: twilio.url,
    TWILIO_WHATSAPP_FROM: FROM,
    OPENAI_API_KEY: "test-key",
    OPENAI_BASE_URL: openai.url,
    // Signed as providers would sign it, whatever port this run was given.
    LULL_PUBLIC_URL: "https://bot.example.com",
    ...environment,
  };

  const lull = (...args: string[]) => {
    const process = new LullProcess(args, { cwd: folder, env });
    running.push(process);
    return process;
  };

  const stop = async () => {
    for (const process of running) process.kill("SIGKILL");
    await Promise.all(running.map((process) => process.gone().catch(() => {})));
  };

  return {
    folder,
    twilio,
    openai,
    env,
    lull,
    /** Starts the service and waits until it listens. */
    async start(workers = 1) {
      const process = lull("start", "--workers", String(workers));
      url = await process.url();
      return process;
    },
    /** One signed WhatsApp message, to the service that was started last. Returns the status that Twilio would see. */
    async write(
      customer: number,
      text: string,
      options: { sid?: string; params?: Environment; to?: string } = {},
    ) {
      count += 1;
      const sid = options.sid ?? `SM${String(count).padStart(32, "0")}`;
      const phone = `+503700${String(customer).padStart(5, "0")}`;
      const params = {
        AccountSid: ACCOUNT,
        Body: text,
        From: `whatsapp:${phone}`,
        MessageSid: sid,
        NumMedia: "0",
        ProfileName: "Ana",
        To: `whatsapp:${FROM}`,
        WaId: phone.slice(1),
        ...options.params,
      };
      const path = "/webhooks/whatsapp";
      const webhook = signedWebhook({ url: `https://bot.example.com${path}`, authToken: AUTH_TOKEN, params });
      const response = await fetch(`${options.to ?? url}${path}`, { method: "POST", ...webhook });
      return { status: response.status, body: await response.text(), sid };
    },
    post: (path: string, init: RequestInit) => fetch(`${url}${path}`, { method: "POST", ...init }),
    async api(path: string, init: RequestInit = {}) {
      const response = await fetch(`${url}/api${path}`, init);
      return (await response.json()) as unknown;
    },
    stop,
    async end() {
      await stop();
      await Promise.all([twilio.stop(), openai.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Surroundings = Awaited<ReturnType<typeof surroundings>>;
