import { SQSClient } from "@aws-sdk/client-sqs";
import { describe, expect, it, test } from "vitest";
import { LATER_MS_MAX } from "../../core/defaults.ts";
import { ConfigError, LullError } from "../../errors.ts";
import { fakeConversation, fakeTurn } from "../../testing/fake-turn.ts";
import { failure, tooLarge } from "./failure.ts";
import { bodyOf } from "./payload.ts";
import { queue } from "./queue.ts";
import { deduplicationId, groupId } from "./unique.ts";

const URL_ = "https://sqs.eu-west-1.amazonaws.com/111122223333/ai";

describe("the body", () => {
  const turn = fakeTurn([], {
    id: "turn-7",
    attempt: 2,
    channel: "whatsapp",
    messages: [
      {
        id: "whatsapp/AC1/SM1",
        text: "hi",
        media: [{ url: "https://example.test/1.jpg", contentType: "image/jpeg" }],
        arrivedAtMs: Date.UTC(2026, 0, 1),
        sentAtMs: Date.UTC(2025, 11, 31),
        fields: { ProfileName: "Ana" },
      },
      {
        id: "whatsapp/AC1/SM2",
        text: "a table for two",
        media: [],
        arrivedAtMs: Date.UTC(2026, 0, 1, 0, 0, 2),
      },
    ],
    conversation: fakeConversation({
      id: "c_1",
      channelType: "whatsapp",
      address: "+15550100",
      sender: "+50370000001",
      allowedChannels: ["whatsapp"],
      attributes: { ai_config: { assistant_id_replies: "asst_1" } },
      createdAtMs: Date.UTC(2025, 0, 1),
      updatedAtMs: Date.UTC(2025, 0, 2),
    }),
  });

  it("holds the merged turn and the record in the names of the conversations table", () => {
    expect(JSON.parse(bodyOf(turn, { url: URL_ }))).toEqual({
      turn: { id: "turn-7", attempt: 2 },
      target_queue_url: URL_,
      conversation_id: "c_1",
      primary_channel: "+50370000001",
      channel: "whatsapp",
      channel_type: "whatsapp",
      first_message_sid: "SM1",
      combined_body: "hi\na table for two",
      media: [{ url: "https://example.test/1.jpg", content_type: "image/jpeg" }],
      messages: [
        {
          id: "whatsapp/AC1/SM1",
          message_sid: "SM1",
          body: "hi",
          media: [{ url: "https://example.test/1.jpg", content_type: "image/jpeg" }],
          received_at: "2026-01-01T00:00:00.000Z",
          sent_at: "2025-12-31T00:00:00.000Z",
          fields: { ProfileName: "Ana" },
        },
        {
          id: "whatsapp/AC1/SM2",
          message_sid: "SM2",
          body: "a table for two",
          media: [],
          received_at: "2026-01-01T00:00:02.000Z",
        },
      ],
      conversation: {
        address: "+15550100",
        project_status: "active",
        allowed_channels: ["whatsapp"],
        task_complete: 0,
        hand_off_to_human: false,
        attributes: { ai_config: { assistant_id_replies: "asst_1" } },
        created_at: "2025-01-01T00:00:00.000Z",
        updated_at: "2025-01-02T00:00:00.000Z",
      },
    });
  });

  it("says who took over and why, what was said before, and until when an answer is awaited", () => {
    const handed = {
      ...turn,
      conversation: { ...turn.conversation, handedOff: true, handOffReason: "angry" },
    };
    const history = [{ role: "user", text: "hello", media: [], atMs: 0, turnId: "turn-6" }] as const;
    expect(JSON.parse(bodyOf(handed, { url: URL_, history, answerWithinSeconds: 600 }))).toMatchObject({
      conversation: { hand_off_to_human: true, hand_off_to_human_reason: "angry" },
      history: [
        { role: "user", body: "hello", media: [], at: "1970-01-01T00:00:00.000Z", turn_id: "turn-6" },
      ],
      answer_within_seconds: 600,
    });
  });

  it("has no character that SQS refuses, and loses none", () => {
    const odd = "\uFFFF\uFFFE\u0000\uD800 \u{1F600}";
    const body = bodyOf(fakeTurn(odd), { url: URL_ });
    // What SQS takes:
    // https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
    expect(body).toMatch(/^[\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u);
    expect(JSON.parse(body).combined_body).toBe(odd);
  });
});

describe("in a FIFO queue", () => {
  const messages = (...ids: string[]) => ids.map((id) => ({ id, text: "", media: [], arrivedAtMs: 0 }));

  it("the same messages of the same turn have one id, whatever the attempt", () => {
    const once = fakeTurn([], { messages: messages("a", "b") });
    expect(deduplicationId({ ...once, attempt: 2 })).toBe(deduplicationId(once));
  });

  it("a turn that comes back with a newer message is not dropped as a repetition", () => {
    const ids = [messages("a"), messages("a", "b"), messages("a,b")].map((each) =>
      deduplicationId(fakeTurn([], { messages: each })),
    );
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{64}$/);
  });

  it("a conversation is a group, whatever another system calls it", () => {
    const group = (id: string) => groupId(fakeTurn("hi", { conversation: fakeConversation({ id }) }));
    expect(group("c_1")).toBe("c_1");
    expect(group("María's order")).toMatch(/^[0-9a-f]{64}$/);
    expect(group("x".repeat(129))).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe("errors", () => {
  const named = (name: string) => Object.assign(new Error("with words of SQS"), { name });

  test.each([
    ["QueueDoesNotExist", "QUEUE_NOT_FOUND", "never"],
    ["AWS.SimpleQueueService.NonExistentQueue", "QUEUE_NOT_FOUND", "never"],
    ["AccessDenied", "QUEUE_FORBIDDEN", "never"],
    ["InvalidClientTokenId", "QUEUE_FORBIDDEN", "never"],
    ["KmsDisabled", "QUEUE_FORBIDDEN", "never"],
    ["InvalidMessageContents", "QUEUE_REJECTED", "never"],
    ["AWS.SimpleQueueService.InvalidParameterValue", "QUEUE_REJECTED", "never"],
    ["RequestThrottled", "QUEUE_UNAVAILABLE", "later"],
    ["KmsThrottled", "QUEUE_UNAVAILABLE", "later"],
    ["ExpiredToken", "QUEUE_UNAVAILABLE", "later"],
    ["ServiceUnavailable", "QUEUE_UNAVAILABLE", "later"],
    ["TimeoutError", "QUEUE_UNAVAILABLE", "later"],
  ])("%s is %s, tried again: %s", (name, code, retry) => {
    expect(failure(named(name))).toMatchObject({ code, retry });
    expect(failure(named(name)).message).not.toContain("words of SQS");
  });

  it("a connection that fails is named by its code", () => {
    const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
    expect(failure(refused)).toMatchObject({
      retry: "later",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });

  it("a turn that is too large says by how much, and no second try is made", () => {
    expect(tooLarge(2_000_000, 1_048_576, 0)).toMatchObject({ code: "QUEUE_TOO_LARGE", retry: "never" });
    expect(tooLarge(2_000_000, 1_048_576, 50).message).toContain("50 messages of history");
  });
});

describe("queue", () => {
  it("tells where it hands turns to", () => {
    expect(queue({ url: URL_ }).handsTo).toBe(URL_);
  });

  test.each([
    "",
    "ai",
    "arn:aws:sqs:eu-west-1:111122223333:ai",
    "https://sqs.eu-west-1.amazonaws.com/",
    "ftp://x/1/ai",
  ])("%j is no queue's URL", (url) => {
    expect(() => queue({ url })).toThrow(ConfigError);
  });

  test("an answer may be waited for as long as any answer that comes later", () => {
    expect(() => queue({ url: URL_, answerWithinSeconds: LATER_MS_MAX / 1_000 })).not.toThrow();
  });

  test.each([0, -1, Number.NaN, LATER_MS_MAX / 1_000 + 1])(
    "an answer within %s seconds cannot be awaited",
    (answerWithinSeconds) => {
      expect(() => queue({ url: URL_, answerWithinSeconds })).toThrow(/answerWithinSeconds/);
    },
  );

  it("refuses what is larger than a message may be, without a request", async () => {
    const client = new SQSClient({ region: "eu-west-1", endpoint: "http://127.0.0.1:1" });
    const asked = queue({ url: URL_, client })(fakeTurn("x".repeat(1_048_576)));
    await expect(asked).rejects.toMatchObject({ code: "QUEUE_TOO_LARGE" });
    await expect(asked).rejects.toBeInstanceOf(LullError);
  });
});
