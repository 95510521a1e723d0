import { afterEach, describe, expect, it, vi } from "vitest";
import { memory } from "../engines/memory/index.ts";
import { LullError } from "../errors.ts";
import type { Reply } from "../model/reply.ts";
import type { Conversations } from "../ports/conversations.ts";
import type { EngineProvider } from "../ports/engine.ts";
import type { Responder, Turn } from "../ports/responder.ts";
import { type TestLull, type TestLullConfig, testLull } from "../testing/test-lull.ts";
import { testMessage, testWebhook } from "../testing/test-webhook.ts";

let lull: TestLull;
const open = (config: TestLullConfig) => {
  lull = testLull({ window: { seconds: 10 }, ...config });
  return lull;
};
afterEach(() => lull.stop());

async function conversation() {
  const engine = await lull.service.engine();
  const { items } = await engine.inspector.conversations({ limit: 1 });
  return (await engine.inspector.conversation(items[0]!.id))!;
}

async function dead() {
  return (await (await lull.service.engine()).inspector.dead({ limit: 10 })).items;
}

/** A responder that is answered by hand. */
function byHand() {
  const asked: { turn: Turn; reply: (reply: Reply) => void; fail: (error: unknown) => void }[] = [];
  const respond: Responder = (turn) =>
    new Promise((reply, fail) => {
      asked.push({ turn, reply, fail });
    });
  return { asked, respond };
}

/** Counts how often the history is asked for by itself. */
function countingHistory() {
  const count = { requests: 0 };
  const store = memory();
  const engine: EngineProvider = {
    ...store,
    async open(context) {
      const opened = await store.open(context);
      const history: Conversations["history"] = (...given) => {
        count.requests += 1;
        return opened.conversations.history(...given);
      };
      return { ...opened, conversations: { ...opened.conversations, history } };
    },
  };
  return { engine, count };
}

describe("what a responder may not return", () => {
  it.each([
    ["a number", 42],
    ["true", true],
    ["bytes", Buffer.from("hello")],
    ["a boxed string", new String("hello")],
    ["an object of another kind", { reply: "hello" }],
    ["a function", () => "hello"],
  ])("%s is not taken for silence: a person hears of it", async (_, reply) => {
    open({ respond: () => reply as never });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    expect(lull.sent).toEqual([]);
    expect(await dead()).toMatchObject([{ reason: expect.stringContaining("the responder returned a") }]);
  });

  it("changes to what it was given change nothing that is written down", async () => {
    open({
      respond: (turn) => {
        if (turn.media.length === 0) return "ok";
        Object.assign(turn.media[0]!, { contentType: 7 });
        Object.assign(turn.messages[0]!.media[0]!, { url: null });
        Object.assign(turn.conversation, { id: "another" });
        return "ok";
      },
    });
    const media = [{ url: "https://x.example/a.png", contentType: "image/png" }];
    await lull.receive("ben", "to start with");
    await lull.service.receive("test", testWebhook(testMessage({ media })));
    await lull.advance(10_000);
    const { inspector } = await lull.service.engine();
    const { items } = await inspector.conversations({ limit: 9 });
    const ana = await inspector.conversation(items.find(({ sender }) => sender === "ana")!.id);
    expect(ana?.messages[0]).toMatchObject({ text: "hi", media });
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 2.5, -1])("history(%s) is no outage", async (count) => {
    let seen: number | undefined;
    open({
      respond: async (turn) => {
        seen = (await turn.history(count)).length;
        return "ok";
      },
    });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    await lull.advance(10_000);
    expect(lull.sent).toHaveLength(2);
    expect(seen).toBe(count < 0 ? 0 : 2);
  });
});

describe("an answer that was accepted while its turn was still asked", () => {
  it.each<[string, Reply]>([
    ["nothing", undefined],
    ["that another system has it", { queued: true }],
    ["something else", "its own words"],
  ])("is sent, also when the responder that was asked says %s", async (_, reply) => {
    const { asked, respond } = byHand();
    open({ respond });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    expect(await lull.service.answerTurn(asked[0]!.turn.id, { text: "what was accepted" })).toBe("accepted");
    asked[0]!.reply(reply);
    await lull.advance(10_000);
    expect(lull.sent.map(({ text }) => text)).toEqual(["what was accepted"]);
    expect((await conversation()).turns.map(({ outcome }) => outcome)).toEqual(["replied"]);
  });
});

describe("what a responder may return", () => {
  it("sends several texts as several messages, in order", async () => {
    open({ respond: () => ["one", "two"] });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    expect(lull.sent.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  it("sends nothing for no reply, and commits the turn with that outcome", async () => {
    open({ respond: () => null });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    expect(lull.sent).toEqual([]);
    const { turns, messages } = await conversation();
    expect(turns.map(({ outcome }) => outcome)).toEqual(["no-reply"]);
    expect(messages.map(({ text }) => text)).toEqual(["hi"]);
  });

  it("sends nothing for a turn that another system has, and the conversation says so", async () => {
    open({ respond: () => ({ queued: true }) });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    expect(lull.sent).toEqual([]);
    const { turns, conversation: record } = await conversation();
    expect([turns.map(({ outcome }) => outcome), record.status]).toEqual([["queued"], "queued_for_ai"]);
  });

  it("sends a text that goes with it: then it is a reply like any other", async () => {
    open({ respond: () => ({ queued: true, text: "One moment." }) });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    expect(lull.sent.map(({ text }) => text)).toEqual(["One moment."]);
    expect((await conversation()).conversation.status).toBe("reply_sent");
  });

  it("does not start over a turn that another system has: newer messages get their own turn", async () => {
    const { asked, respond } = byHand();
    open({ respond, whileBusy: "restart", limits: { restartPollSeconds: 3_600 } });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    asked[0]!.reply({ queued: true });
    await lull.advance(10_000);
    expect(asked.map(({ turn }) => turn.text)).toEqual(["one", "two"]);
    expect(asked[1]!.turn.id).not.toBe(asked[0]!.turn.id);
  });

  it("waits for no late answer of a hand-off target: a human has the word", async () => {
    const handOffTo = vi.fn<Responder>(() => ({ laterSeconds: 60 }));
    open({ respond: () => ({ handOff: "human" }), handOffTo });
    for (const text of ["one", "two"]) {
      await lull.receive("ana", text);
      await lull.advance(10_000);
    }
    await lull.advance(600_000);
    expect(handOffTo).toHaveBeenCalledTimes(1);
    expect((await conversation()).turns.map(({ outcome }) => outcome)).toEqual(["handed-off", "handed-off"]);
  });

  it("hands the conversation to a human, after the last words", async () => {
    open({ respond: () => ({ text: "A colleague takes over.", handOff: "asked for a human" }) });
    await lull.receive("ana", "a human please");
    await lull.advance(10_000);
    expect(lull.sent).toHaveLength(1);
    const first = await conversation();
    expect(first.conversation).toMatchObject({
      handedOff: true,
      handOffReason: "asked for a human",
      status: "awaiting_agent",
    });
    await lull.receive("ana", "hello?");
    await lull.advance(10_000);
    expect(lull.sent).toHaveLength(1);
    expect((await conversation()).turns.map(({ outcome }) => outcome)).toEqual(["handed-off", "handed-off"]);
  });

  it("hands over without a word, with the reason", async () => {
    open({ respond: () => ({ handOff: "angry" }) });
    await lull.receive("ana", "grr");
    await lull.advance(10_000);
    expect((await conversation()).conversation).toMatchObject({ handedOff: true, handOffReason: "angry" });
  });

  it("gives the hand-off target the turns of a conversation that a human has", async () => {
    const handOffTo = vi.fn<Responder>(() => "never sent");
    open({ respond: () => ({ handOff: "human" }), handOffTo });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    await lull.advance(10_000);
    expect(handOffTo.mock.calls.map(([turn]) => turn.text)).toEqual(["two"]);
    expect(lull.sent).toEqual([]);
  });

  it("completes the task: the next message opens a new conversation", async () => {
    open({
      respond: () => ({
        text: "bye",
        complete: true,
        usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 },
      }),
    });
    await lull.receive("ana", "thanks");
    await lull.advance(10_000);
    await lull.receive("ana", "one more thing");
    await lull.advance(10_000);
    const engine = await lull.service.engine();
    const { items } = await engine.inspector.conversations({ limit: 10 });
    expect(items).toHaveLength(2);
    expect(items.every(({ taskComplete, totalTokens }) => taskComplete && totalTokens === 5)).toBe(true);
  });

  it("completes silently too", async () => {
    open({
      respond: () => ({ complete: true, usage: { promptTokens: 1, completionTokens: 0, totalTokens: 1 } }),
    });
    await lull.receive("ana", "ok");
    await lull.advance(10_000);
    expect((await conversation()).conversation).toMatchObject({ taskComplete: true, totalTokens: 1 });
  });

  it("sends media, with or without a text", async () => {
    const media = [{ url: "https://example.com/menu.pdf", contentType: "application/pdf" }];
    open({ respond: (turn) => (turn.text === "menu" ? { media } : { text: "here", media }) });
    await lull.receive("ana", "menu");
    await lull.receive("ben", "more");
    await lull.advance(10_000);
    expect(lull.channel.outbox.map(({ text, media: sent }) => ({ text, sent }))).toEqual([
      { text: "", sent: media },
      { text: "here", sent: media },
    ]);
  });

  it("reads our own record as history, oldest first", async () => {
    const histories: string[][] = [];
    open({
      respond: async (turn) => {
        histories.push((await turn.history()).map(({ role, text }) => `${role}: ${text}`));
        return `re: ${turn.text}`;
      },
    });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    await lull.advance(10_000);
    expect(histories).toEqual([[], ["user: one", "assistant: re: one"]]);
  });

  it.each([
    ["brought along with the turn", true, 2],
    ["asked for", false, 8],
  ])("reads the same history whether it is %s or not", async (_, readsHistory, requests) => {
    const histories: string[][] = [];
    const { engine, count } = countingHistory();
    const respond = async (turn: Turn) => {
      for (const max of [undefined, 1, 0, 1_000])
        histories.push((await turn.history(max)).map(({ text }) => text));
      return `re: ${turn.text}`;
    };
    open({ engine, respond: Object.assign(respond, { readsHistory }) });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    await lull.advance(10_000);
    const said = ["one", "re: one"];
    expect(histories).toEqual([[], [], [], [], said, ["re: one"], [], said]);
    expect(count.requests).toBe(requests);
  });
});

describe("an answer that comes later", () => {
  it("is sent when it comes, and once only", async () => {
    const { asked, respond } = byHand();
    open({ respond });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    asked[0]!.reply({ laterSeconds: 300 });
    await lull.advance(60_000);
    expect(lull.sent).toEqual([]);
    const { id } = asked[0]!.turn;
    expect(
      await lull.service.answerTurn(id, {
        text: "at last",
        complete: true,
        usage: { promptTokens: 1, completionTokens: 1, totalTokens: 2 },
      }),
    ).toBe("accepted");
    await lull.advance(1_000);
    expect(lull.sent).toEqual([{ to: "ana", text: "at last" }]);
    expect(await lull.service.answerTurn(id, { text: "again" })).toBe("stale");
    expect((await conversation()).conversation).toMatchObject({ taskComplete: true, totalTokens: 2 });
  });

  it("may be silence, or a hand-off", async () => {
    const { asked, respond } = byHand();
    open({ respond });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    asked[0]!.reply({ laterSeconds: 300 });
    await lull.advance(0);
    await lull.service.answerTurn(asked[0]!.turn.id, { handOff: "human" });
    await lull.advance(1_000);
    expect(lull.sent).toEqual([]);
    expect((await conversation()).turns.map(({ outcome }) => outcome)).toEqual(["no-reply"]);
    expect((await conversation()).conversation.handedOff).toBe(true);
  });

  it("cannot itself be later", async () => {
    open({ respond: () => ({ laterSeconds: 300 }) });
    expect(await lull.service.answerTurn("any", { laterSeconds: 3 })).toBe("stale");
  });
});

describe("what a responder is told", () => {
  it("is every message with its own time and what else the provider told", async () => {
    const seen: Turn[] = [];
    open({
      respond: (turn) => {
        seen.push(turn);
        return "ok";
      },
    });
    const fields = { profileName: "Ana" };
    const media = [{ url: "https://example.com/a.jpg", contentType: "image/jpeg" }];
    const messages = [
      testMessage({ providerId: "1", text: "look", media, sentAtMs: 1_000, fields }),
      testMessage({ providerId: "2", text: "", media, sentAtMs: 2_000 }),
    ];
    await lull.service.start();
    await lull.service.receive("test", testWebhook(...messages));
    await lull.advance(10_000);
    expect(seen[0]).toMatchObject({ text: "look", channel: "test", attempt: 1, media: [...media, ...media] });
    expect(seen[0]!.messages).toMatchObject([
      { text: "look", sentAtMs: 1_000, fields },
      { text: "", sentAtMs: 2_000 },
    ]);
  });
});

describe("a wake-up from outside", () => {
  it("only makes a worker look: early it changes nothing, in time it runs the turn", async () => {
    open({ respond: () => "hello" });
    await lull.receive("ana", "hi");
    const { id } = (await conversation()).conversation;
    expect(await lull.service.wake(id)).toBe("later");
    expect(await lull.service.wake("no-such-id")).toBe("nothing");
    await lull.advance(10_000);
    expect(lull.sent).toHaveLength(1);
  });

  it("runs the turn of a service that takes none by itself", async () => {
    open({ respond: () => "hello" });
    const engine = await lull.service.engine();
    const arrival = {
      providerId: "1",
      account: "a",
      address: "lull",
      sender: "ana",
      replyTo: "ana",
      text: "hi",
      media: [],
    };
    const arrivedAtMs = lull.clock.nowMs() - 10_000;
    await engine.receiving.stage([{ arrival: { ...arrival, channel: "test", arrivedAtMs, position: 0 } }]);
    const { id } = (await conversation()).conversation;
    expect(await lull.service.wake(id)).toBe("turn");
    expect(lull.sent).toEqual([{ to: "ana", text: "hello" }]);
  });
});

describe("a responder that fails", () => {
  it("is asked again with backoff, the same turn and the next attempt", async () => {
    const { asked, respond } = byHand();
    open({ respond });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    asked[0]!.fail(new Error("down"));
    await lull.advance(999);
    expect(asked).toHaveLength(1);
    await lull.advance(1);
    expect(asked.map(({ turn }) => turn.attempt)).toEqual([1, 2]);
    expect(asked[1]!.turn.id).toBe(asked[0]!.turn.id);
    asked[1]!.reply("up again");
    await lull.advance(0);
    expect(lull.sent).toEqual([{ to: "ana", text: "up again" }]);
  });

  it("waits as long as it was told to", async () => {
    const { asked, respond } = byHand();
    open({ respond });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    asked[0]!.fail(new LullError("slow down", { code: "RATE", retry: "later", retryAfterMs: 30_000 }));
    await lull.advance(29_000);
    expect(asked).toHaveLength(1);
    await lull.advance(1_000);
    expect(asked).toHaveLength(2);
  });

  it("becomes a dead letter when no attempt can help", async () => {
    open({
      respond: () => {
        throw new LullError("no such model", { code: "MODEL", retry: "never" });
      },
    });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    expect(await dead()).toMatchObject([
      { reason: "MODEL: no such model", attempts: 1, messages: [{ text: "hi" }] },
    ]);
  });

  it("becomes a dead letter after the last attempt, and the conversation goes on", async () => {
    open({
      limits: { attemptsMax: 3 },
      respond: (turn) => {
        if (turn.text.includes("poison")) throw "no error object";
        return "fine";
      },
    });
    await lull.receive("ana", "poison");
    await lull.advance(60_000);
    expect(await dead()).toMatchObject([{ reason: "no error object", attempts: 3 }]);
    await lull.receive("ana", "hello");
    await lull.advance(10_000);
    expect(lull.sent).toEqual([{ to: "ana", text: "fine" }]);
  });

  it("that never returns is given up, told so, and asked again", async () => {
    const { asked, respond } = byHand();
    open({ respond, limits: { answerTimeoutSeconds: 5 } });
    await lull.receive("ana", "hi");
    await lull.advance(15_000);
    expect(asked[0]!.turn.signal.aborted).toBe(true);
    await lull.advance(5_000);
    expect(asked).toHaveLength(2);
    // The first answer comes now, and no turn waits for it any more.
    asked[0]!.reply("too late");
    asked[1]!.reply("in time");
    await lull.advance(1_000);
    expect(lull.sent).toEqual([{ to: "ana", text: "in time" }]);
  });

  it("without a responder a channel's messages are refused, with the reason", async () => {
    const { respond: _none, ...config } = { respond: undefined as never };
    open(config as TestLullConfig);
    expect(await lull.receive("ana", "hi")).toBe(409);
    const { items } = await (await lull.service.engine()).inspector.refusals({ limit: 10 });
    expect(items).toMatchObject([{ code: "ROUTE_NOT_FOUND", sender: "ana" }]);
  });
});

describe("a message that arrives while the answer is made", () => {
  it("queue: gets its own window and its own turn", async () => {
    const { asked, respond } = byHand();
    open({ respond });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    await lull.advance(20_000);
    expect(asked).toHaveLength(1);
    asked[0]!.reply("re one");
    await lull.advance(1_000);
    asked[1]!.reply("re two");
    await lull.advance(1_000);
    expect(asked.map(({ turn }) => turn.text)).toEqual(["one", "two"]);
    expect(lull.sent.map(({ text }) => text)).toEqual(["re one", "re two"]);
  });

  it("restart: joins the turn, which starts over when the newer message's window is due", async () => {
    const { asked, respond } = byHand();
    open({ respond, whileBusy: "restart" });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    await lull.advance(1_000);
    expect(asked[0]!.turn.signal.aborted).toBe(true);
    await lull.advance(8_999);
    expect(asked).toHaveLength(1);
    await lull.advance(1);
    expect(asked[1]!.turn.text).toBe("one\ntwo");
    asked[1]!.reply("re both");
    await lull.advance(0);
    expect(lull.sent).toEqual([{ to: "ana", text: "re both" }]);
  });

  it("restart: is seen at the draft even if the answer came before the next look", async () => {
    const { asked, respond } = byHand();
    open({ respond, whileBusy: "restart" });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    asked[0]!.reply("re one");
    await lull.advance(10_000);
    asked[1]!.reply("re both");
    await lull.advance(0);
    expect(lull.sent).toEqual([{ to: "ana", text: "re both" }]);
  });

  it("restart: is seen even if the answer is silence", async () => {
    const { asked, respond } = byHand();
    open({ respond, whileBusy: "restart" });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    await lull.receive("ana", "two");
    asked[0]!.reply(null);
    await lull.advance(10_000);
    expect(asked[1]!.turn.text).toBe("one\ntwo");
    asked[1]!.reply(null);
    await lull.advance(0);
  });

  it("restart: happens twice at most, then the rest queues", async () => {
    const { asked, respond } = byHand();
    open({ respond, whileBusy: "restart" });
    await lull.receive("ana", "1");
    await lull.advance(10_000);
    for (const text of ["2", "3", "4"]) {
      await lull.receive("ana", text);
      await lull.advance(10_000);
    }
    expect(asked.map(({ turn }) => turn.text)).toEqual(["1", "1\n2", "1\n2\n3"]);
    asked[2]!.reply("re 1 2 3");
    await lull.advance(10_000);
    asked[3]!.reply("re 4");
    await lull.advance(0);
    expect(lull.sent.map(({ text }) => text)).toEqual(["re 1 2 3", "re 4"]);
  });

  it("reject: is told once per running turn, and not staged", async () => {
    const { asked, respond } = byHand();
    open({ respond, whileBusy: "reject", busyText: "one moment" });
    await lull.receive("ana", "one");
    await lull.advance(10_000);
    expect(await lull.receive("ana", "two")).toBe(409);
    expect(await lull.receive("ana", "three")).toBe(409);
    asked[0]!.reply("re one");
    await lull.advance(20_000);
    expect(asked).toHaveLength(1);
    expect(lull.sent.map(({ text }) => text)).toEqual(["re one", "one moment"]);
    const { items } = await (await lull.service.engine()).inspector.refusals({ limit: 10 });
    expect(items.map(({ code }) => code)).toEqual(["CONVERSATION_LOCKED", "CONVERSATION_LOCKED"]);
  });
});

describe("rules when the turn starts", () => {
  it("an inactive project gets no answer, and the turn says why", async () => {
    open({ respond: () => "hello" });
    await lull.receive("ana", "hi");
    const engine = await lull.service.engine();
    const { conversation: before } = await conversation();
    await engine.conversations.change(before.id, { projectStatus: "archived" });
    await lull.advance(10_000);
    expect(lull.sent).toEqual([]);
    expect((await conversation()).turns.map(({ outcome }) => outcome)).toEqual(["refused: PROJECT_INACTIVE"]);
  });

  it("a human who takes over while the answer is made keeps it from being sent", async () => {
    const { asked, respond } = byHand();
    open({ respond });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    const engine = await lull.service.engine();
    await engine.conversations.change((await conversation()).conversation.id, { handedOff: true });
    asked[0]!.reply("too late");
    await lull.advance(0);
    expect(lull.sent).toEqual([]);
    expect((await conversation()).turns.map(({ outcome }) => outcome)).toEqual(["handed-off"]);
  });
});

describe("saying something that no message asked for", () => {
  it("is a turn of its own, split for the channel, and said once", async () => {
    open({ respond: () => "hello" });
    await lull.receive("ana", "hi");
    await lull.advance(10_000);
    const { conversation: ana } = await conversation();
    const request = { conversationId: ana.id, text: "we are back", author: "console", id: "1" };
    expect(await lull.service.say(request)).toBe("staged");
    await lull.advance(200);
    expect(await lull.service.say(request)).toBe("duplicate");
    await lull.advance(10_000);
    expect(lull.sent.map(({ text }) => text)).toEqual(["hello", "we are back"]);
    const { messages } = await conversation();
    expect(messages.at(-1)).toMatchObject({ role: "assistant", text: "we are back", author: "console" });
    expect(await lull.service.say({ ...request, conversationId: "no-such-id" })).toBe("not-found");
  });

  it("goes to the number that the person has now, and nowhere if it is another person's", async () => {
    open({ respond: () => "hello" });
    let count = 0;
    const write = async (sender: string, senderAlias?: string) => {
      count += 1;
      const names = { sender, replyTo: senderAlias ?? sender, ...(senderAlias && { senderAlias }) };
      await lull.service.receive("test", testWebhook(testMessage({ ...names, providerId: `n${count}` })));
      const { items } = await (await lull.service.engine()).inspector.conversations({ limit: 1 });
      return items[0]!.id;
    };
    const ana = await write("+15550101");
    await write("SV.ana", "+15550101");
    await write("SV.ana", "+15550102");
    const bens = await write("+15550101");
    await write("SV.cyd");
    await write("SV.cyd", "+15550101");
    await lull.advance(10_000);
    expect(await lull.service.say({ conversationId: ana, text: "for Ana only", author: "me" })).toBe(
      "staged",
    );
    await lull.advance(200);
    const said = lull.sent.filter(({ text }) => text === "for Ana only");
    expect(said.map(({ to }) => to)).toEqual(["+15550102"]);
    await expect(
      lull.service.say({ conversationId: bens, text: "for Ben only", author: "me" }),
    ).rejects.toThrow(expect.objectContaining({ code: "NUMBER_PASSED_ON", retry: "never" }));
  });

  it("goes to where the person is when it is sent, though it waited behind a turn", async () => {
    const slow = Promise.withResolvers<string>();
    open({ respond: ({ text }) => (text === "slow" ? slow.promise : "hello") });
    let count = 0;
    const write = async (sender: string, senderAlias: string, text: string) => {
      count += 1;
      const names = { sender, senderAlias, replyTo: senderAlias };
      await lull.service.receive(
        "test",
        testWebhook(testMessage({ ...names, providerId: `w${count}`, text })),
      );
    };
    await write("SV.ana", "+15550101", "slow");
    await lull.advance(10_000);
    const { items } = await (await lull.service.engine()).inspector.conversations({ limit: 1 });
    const said = { conversationId: items[0]!.id, text: "for Ana only", author: "me" };
    expect(await lull.service.say(said)).toBe("staged");
    await write("SV.ben", "+15550101", "it is mine now");
    slow.resolve("done");
    await lull.advance(10_000);
    const sent = lull.sent.filter(({ text }) => text === "for Ana only");
    expect(sent.map(({ to }) => to)).toEqual(["SV.ana"]);
  });

  it("needs a channel of the conversation's type", async () => {
    open({ respond: () => "hello" });
    const engine = await lull.service.engine();
    const { conversation: made } = await engine.conversations.create({
      channelType: "pigeon",
      address: "a",
      sender: "s",
    });
    await expect(lull.service.say({ conversationId: made.id, text: "coo", author: "me" })).rejects.toThrow(
      "no channel of type pigeon",
    );
  });
});
