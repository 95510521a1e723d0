import { afterEach, expect, it } from "vitest";
import { LullError } from "../errors.ts";
import type { Engine } from "../ports/engine.ts";
import { type TestLull, type TestLullConfig, testLull } from "../testing/test-lull.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";

const PHONE = "+15550101";
const SECRET = "for Ana only";

let lull: TestLull;
let count = 0;
afterEach(() => lull.stop());

async function write(sender: string, senderAlias: string, text: string): Promise<void> {
  count += 1;
  const message = testMessage({ sender, senderAlias, replyTo: senderAlias, providerId: `p${count}`, text });
  await lull.service.receive("test", testWebhook(message));
}

const anaWrites = (text = "hi") => write("SV.ana", PHONE, text);
const benHasHerNumber = () => write("SV.ben", PHONE, "it is mine now");

async function engine(): Promise<Engine> {
  return lull.service.engine();
}

async function anasId(): Promise<string> {
  const { items } = await (await engine()).inspector.conversations({ limit: 10 });
  return items.find(({ sender }) => sender === "SV.ana")!.id;
}

/** To whom what is Ana's was sent. */
const told = () => lull.sent.filter(({ text }) => text === SECRET).map(({ to }) => to);

interface Wait {
  readonly config?: TestLullConfig;
  /** Ana's reply waits for something. */
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
}

const outage = () => new LullError("it is down", { code: "DOWN", retry: "later" });
let isDown = true;
let turnId = "";

const WAITS: Readonly<Record<string, Wait>> = {
  "a conversation that was paused": {
    begin: async () => {
      await anaWrites();
      await (await engine()).conversations.change(await anasId(), { paused: true });
      await lull.advance(60_000);
    },
    end: async () => (await engine()).conversations.change(await anasId(), { paused: false }),
  },
  "a responder that is down": {
    config: {
      respond: ({ conversation }) => {
        if (conversation.sender === "SV.ana" && isDown) throw outage();
        return conversation.sender === "SV.ana" ? SECRET : "hello";
      },
    },
    begin: () => anaWrites(),
    end: async () => {
      isDown = false;
    },
  },
  "a provider that takes nothing": {
    begin: async () => {
      lull.channel.behave((_, n) =>
        isDown ? { kind: "not-sent", retry: "later", why: "503" } : { kind: "sent", providerId: `o${n}` },
      );
      await anaWrites();
    },
    end: async () => {
      isDown = false;
    },
  },
  "a late answer": {
    config: {
      respond: ({ id, conversation }) => {
        if (conversation.sender !== "SV.ana") return "hello";
        turnId = id;
        return { laterSeconds: 3_600 };
      },
    },
    begin: () => anaWrites(),
    end: async () => {
      expect(await lull.service.answerTurn(turnId, { text: SECRET })).toBe("accepted");
    },
  },
  "a dead letter that is retried": {
    config: {
      respond: ({ conversation }) => {
        if (conversation.sender === "SV.ana" && isDown)
          throw new LullError("no", { code: "NO", retry: "never" });
        return conversation.sender === "SV.ana" ? SECRET : "hello";
      },
    },
    begin: () => anaWrites(),
    end: async () => {
      isDown = false;
      const { repairs, inspector } = await engine();
      const { items } = await inspector.dead({ limit: 10 });
      await repairs.retryDead(items[0]!.id);
    },
  },
  "an unknown send that is sent again": {
    begin: async () => {
      lull.channel.behave((_, n) =>
        isDown
          ? { kind: "unknown", retry: "never", why: "no answer" }
          : { kind: "sent", providerId: `o${n}` },
      );
      await anaWrites();
      await lull.advance(3_600_000);
      lull.channel.outbox.length = 0;
    },
    end: async () => {
      isDown = false;
      const { repairs, inspector } = await engine();
      const { items } = await inspector.unknown({ limit: 10 });
      expect(await repairs.resendUnknown(items[0]!.id)).toBe("staged");
    },
  },
};

function open({ config }: Wait): void {
  isDown = true;
  const respond: TestLullConfig["respond"] = ({ conversation }) =>
    conversation.sender === "SV.ana" ? SECRET : "hello";
  lull = testLull({ respond, ...config });
}

it.each(Object.keys(WAITS))(
  "a reply that waited for %s goes to its customer, not to the number",
  async (what) => {
    const wait = WAITS[what]!;
    open(wait);
    await wait.begin();
    await lull.advance(20_000);
    expect(told()).toEqual([]);
    await benHasHerNumber();
    await wait.end();
    await lull.advance(600_000);
    expect(told()).toEqual(["SV.ana"]);
  },
);

it("a reply to a number that may be another person's is not sent, and is kept for an operator", async () => {
  open({ begin: async () => {}, end: async () => {} });
  await lull.receive("SV.ana", "hello");
  await lull.advance(20_000);
  lull.channel.outbox.length = 0;
  await lull.receive(PHONE, "who am I?");
  await anaWrites();
  await lull.advance(600_000);
  expect(lull.sent.map(({ to }) => to)).toEqual([PHONE]);
  expect(told()).toEqual([PHONE]);
  const { items } = await (await engine()).inspector.dead({ limit: 10 });
  expect(items.map(({ reason }) => reason)).toEqual([expect.stringContaining("another person")]);
});

it("a conversation that a human has is handed off as before: nothing is sent in it", async () => {
  open({ begin: async () => {}, end: async () => {} });
  await lull.receive("SV.ana", "hello");
  await lull.advance(20_000);
  await lull.receive(PHONE, "who am I?");
  const { items } = await (await engine()).inspector.conversations({ limit: 10 });
  const bare = items.find(({ sender }) => sender === PHONE)!;
  await (await engine()).conversations.change(bare.id, { handedOff: true });
  await anaWrites();
  await lull.advance(600_000);
  const { inspector } = await engine();
  expect((await inspector.dead({ limit: 10 })).items).toEqual([]);
  expect((await inspector.conversation(bare.id))!.turns.map(({ outcome }) => outcome)).toEqual([
    "handed-off",
  ]);
});
