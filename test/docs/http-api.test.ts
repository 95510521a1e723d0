import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createLull, type Lull, LullError, type Reply, type Turn } from "lull";
import { memory } from "lull/memory";
import { type Serving, serve } from "lull/node";
import { testChannel } from "lull/testing";
import { web } from "lull/web";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTES } from "../../src/http/api.ts";
import { VISITOR_ROUTES } from "../../src/http/visitor-routes.ts";
import { pageNamed } from "../doc-pages.ts";
import { eventually } from "../lull-process.ts";

const DESCRIBED = [...ROUTES, ...VISITOR_ROUTES];
const execute = promisify(execFile);
const TOKENS = {
  LULL_API_TOKEN: "an-operator-proves-with-this",
  LULL_TURN_TOKEN: "a-responder-proves-with-this",
};

/** The examples of the page, by the heading that they stand under. */
const EXAMPLES = new Map(
  pageNamed("docs/http-api.md")
    .text.split(/^### /m)
    .flatMap((section): [string, string][] => {
      const [heading = ""] = section.split("\n", 1);
      const code = /^```sh\n([\s\S]*?)^```$/m.exec(section)?.[1];
      return code === undefined ? [] : [[heading, code]];
    }),
);

const REPLIES: Readonly<Record<string, () => Reply>> = {
  unlucky: () => {
    throw new LullError("not this", { code: "MODEL_REFUSED", retry: "never" });
  },
  patient: () => ({ laterSeconds: 600 }),
};

let lull: Lull;
let serving: Serving;
const turnIds: string[] = [];
let count = 0;

beforeAll(async () => {
  const phone = testChannel({ type: "phone" });
  phone.behave(({ to }, n) =>
    to === "lost" ? { kind: "unknown", why: "no answer" } : { kind: "sent", providerId: `out-${n}` },
  );
  phone.reconcileWith(() => ({ kind: "cannot-tell", why: "it has no list", retry: "never" }));
  lull = createLull({
    engine: memory(),
    channels: { phone, web: web() },
    window: { seconds: 0 },
    limits: { backoffSeconds: 0.1, settleSeconds: 0 },
    apiToken: TOKENS.LULL_API_TOKEN,
    turnToken: TOKENS.LULL_TURN_TOKEN,
    respond: ({ conversation, id }: Turn) => {
      if (conversation.sender === "patient") turnIds.push(id);
      return REPLIES[conversation.sender]?.() ?? "one moment";
    },
    log: () => {},
  });
  serving = await serve(lull, { port: 0 });
});

afterAll(() => serving.close(0));

async function write(sender: string): Promise<void> {
  count += 1;
  const message = {
    providerId: `m${count}`,
    account: "a",
    address: "ours",
    sender,
    replyTo: sender,
    text: "hi",
    media: [],
  };
  const body = Buffer.from(JSON.stringify([message]));
  await lull.receive("phone", { method: "POST", url: "http://lull/", headers: {}, body });
}

/** Something that the route can be asked about, made to happen first. */
const SUBJECTS: Readonly<Record<string, () => Promise<string>>> = {
  async conversations() {
    const { conversations } = await lull.engine();
    count += 1;
    const key = { channelType: "web", address: "web", sender: `visitor-${count}` };
    return (await conversations.create(key)).conversation.id;
  },
  async "{channel}"() {
    const message = { id: "1", sender: "visitor-0001", text: "are you open?" };
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(message);
    await fetch(`${serving.url}/webhooks/web`, { method: "POST", headers, body });
    return "";
  },
  projects: async () => "default",
  async turns() {
    const before = turnIds.length;
    await write("patient");
    return eventually("a turn that waits", async () => turnIds[before]);
  },
  async dead() {
    await write("unlucky");
    const { inspector } = await lull.engine();
    return eventually("a dead letter", async () => (await inspector.dead({ limit: 1 })).items[0]?.id);
  },
  async unknown() {
    await write("lost");
    const { inspector } = await lull.engine();
    return eventually("an unknown send", async () => (await inspector.unknown({ limit: 1 })).items[0]?.id);
  },
};

async function statusOf(code: string, id: string): Promise<number> {
  const here = code.replaceAll("http://127.0.0.1:8080", serving.url);
  expect(here).not.toBe(code);
  const script = here.replace(
    "curl ",
    "curl --silent --show-error --output /dev/null --write-out '%{http_code}' ",
  );
  const { stdout } = await execute("sh", ["-ec", script], {
    env: { PATH: process.env.PATH, ID: id, ...TOKENS },
  });
  return Number(stdout);
}

describe("docs/http-api.md", () => {
  test("has an example for every route, and for nothing else", () => {
    expect([...EXAMPLES.keys()].toSorted()).toEqual(
      DESCRIBED.map(({ method, path }) => `${method} ${path}`).toSorted(),
    );
  });

  test.each(DESCRIBED.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s: its example does what the route says",
    async (heading, { path, answers }) => {
      const id = path.includes("{") ? await SUBJECTS[path.split("/")[2]!]!() : "";
      const status = await statusOf(EXAMPLES.get(heading)!, id);
      expect(Object.keys(answers).map(Number)).toContain(status);
      expect(status).toBeLessThan(300);
    },
  );
});
