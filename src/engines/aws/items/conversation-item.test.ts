import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { settingsWith } from "../../../core/defaults.ts";
import type { Conversation } from "../../../model/conversation.ts";
import type { Item } from "../dynamo/expression.ts";
import { changeOf, conversationFrom, createdAtMsOf, isUnder, rowFrom } from "./conversation-item.ts";

const AT = Date.UTC(2026, 0, 1);
const ours: Conversation = {
  id: "c",
  channelType: "whatsapp",
  address: "+15550100",
  sender: "ana",
  senderAlias: "Ana",
  status: "new",
  projectStatus: "active",
  allowedChannels: ["whatsapp"],
  taskComplete: true,
  handedOff: true,
  paused: true,
  window: { kind: "quiet", quietMs: 4_000, maxMs: 20_000 },
  attributes: { plan: "gold" },
  promptTokens: 0,
  completionTokens: 0,
  totalTokens: 0,
  createdAtMs: AT,
  updatedAtMs: AT + 1_000,
};
const stored = (item: Item) => JSON.parse(JSON.stringify(item)) as Item;
const key = { primary_channel: "ana", conversation_id: "c" };
const read = (row: Item) => conversationFrom({ ...key, ...row });

describe("a conversation's row", () => {
  it("is read as it was written", () => {
    expect(conversationFrom(stored(rowFrom(ours)))).toEqual(ours);
    const { senderAlias: _a, allowedChannels: _c, window: _w, ...rest } = ours;
    const plain = { ...rest, taskComplete: false, handedOff: false, paused: false, attributes: {} };
    expect(conversationFrom(stored(rowFrom(plain)))).toEqual(plain);
  });

  it("that holds nothing but its key has every default", () => {
    expect(read({})).toEqual({
      id: "c",
      sender: "ana",
      channelType: "",
      address: "",
      status: "new",
      projectStatus: "active",
      taskComplete: false,
      handedOff: false,
      paused: false,
      attributes: {},
      promptTokens: 0,
      completionTokens: 0,
      totalTokens: 0,
      createdAtMs: 0,
      updatedAtMs: 0,
    });
  });

  it("whose attributes are of other types has the same", () => {
    const wrong = {
      channel_type: 7,
      address: 7,
      sender_alias: null,
      conversation_status: 7,
      project_status: {},
      allowed_channels: "all",
      task_complete: 2,
      hand_off_to_human: "yes",
      hand_off_to_human_reason: "",
      paused: null,
      reply_window: { kind: "fixed", lengthMs: "long" },
      attributes: "none",
      prompt_tokens: "many",
      created_at: "some day",
      channel_config: null,
    };
    const { attributes, ...rest } = read(wrong);
    const { attributes: none, ...defaults } = read({});
    expect(rest).toEqual(defaults);
    expect({ attributes, none }).toEqual({ attributes: { channel_config: null }, none: {} });
  });

  it.each([true, 1, "true", "1"])("says yes in any way its owner has: %j", (yes) => {
    const { taskComplete, handedOff, paused } = read({
      task_complete: yes,
      hand_off_to_human: yes,
      paused: yes,
    });
    expect([taskComplete, handedOff, paused]).toEqual([true, true, true]);
  });

  it("brings its owner's configuration along, and ours before it", () => {
    const row = {
      ai_config: { model: "m" },
      openai_thread_id: "t",
      assistant_id: "a",
      assistant_id_replies: "r",
      crm: 1,
      attributes: { ai_config: "ours" },
    };
    expect(read(row).attributes).toEqual({
      ai_config: "ours",
      openai_thread_id: "t",
      assistant_id: "a",
      assistant_id_replies: "r",
    });
    expect(read({ hand_off_to_human_reason: "asked" }).handOffReason).toBe("asked");
    expect(read({ allowed_channels: new Set(["sms", 7]) }).allowedChannels).toEqual(["sms", "7"]);
    expect(read({ reply_window: { kind: "fixed", lengthMs: 5 } }).window).toEqual({
      kind: "fixed",
      lengthMs: 5,
    });
  });

  it.each([
    [{ address: "whatsapp:+15550100" }, "+15550100"],
    [{ channel_config: { sender: "whatsapp:+15550100" } }, "+15550100"],
    [{ channel_config: { whatsapp_sender: "+15550100" } }, "+15550100"],
    [{ channel_config: { from: "shop@example.test" } }, "shop@example.test"],
    [{ address: "", channel_config: { sender: 7, whatsapp_sender: "whatsapp:+15550100" } }, "+15550100"],
    [{ address: null, channel_config: { sender: "", from: "+15550100" } }, "+15550100"],
    [{ address: "ours", channel_config: { sender: "theirs" } }, "ours"],
  ])("tells our address: %j", (row, address) => {
    expect(read(row).address).toBe(address);
  });

  it("is about a channel and an address of ours, or about every one that it does not name", () => {
    const about = { channelType: "sms", address: "us", sender: "ana" };
    const one = settingsWith({});
    expect(isUnder({ channel_type: "sms", address: "us" }, about, one)).toBe(true);
    expect(isUnder({}, about, one)).toBe(true);
    expect(isUnder({ channel_type: "email", address: "us" }, about, one)).toBe(false);
    expect(isUnder({ channel_type: "sms", address: "elsewhere" }, about, one)).toBe(false);
  });

  it("is under no key if it does not say which, and several projects could be meant", () => {
    const about = { channelType: "sms", address: "us" };
    const window = { kind: "fixed", lengthMs: 1 } as const;
    const channels = {
      a: { type: "sms", window, project: "a" },
      b: { type: "sms", window, project: "b" },
      c: { type: "web", window, project: "b" },
    };
    const two = settingsWith({ channels });
    expect(isUnder({ channel_type: "sms", address: "us" }, about, two)).toBe(true);
    expect(isUnder({}, about, two)).toBe(false);
    expect(isUnder({ channel_type: "sms" }, about, two)).toBe(false);
    expect(isUnder({ channel_type: "web" }, { ...about, channelType: "web" }, two)).toBe(true);
  });

  it("changes in what is named and in its time", () => {
    expect(changeOf({}, AT)).toEqual({ updated_at: "2026-01-01T00:00:00.000Z" });
    expect(
      changeOf(
        {
          projectStatus: "closed",
          allowedChannels: [],
          taskComplete: false,
          handedOff: false,
          handOffReason: "",
          paused: false,
          window: null,
          attributes: {},
        },
        AT,
      ),
    ).toEqual({
      project_status: "closed",
      allowed_channels: [],
      task_complete: 0,
      hand_off_to_human: false,
      hand_off_to_human_reason: "",
      paused: false,
      reply_window: undefined,
      attributes: {},
      updated_at: "2026-01-01T00:00:00.000Z",
    });
    expect(changeOf({ taskComplete: true, window: ours.window! }, AT)).toMatchObject({
      task_complete: 1,
      reply_window: ours.window,
    });
  });
});

describe("a time that another system wrote", () => {
  beforeEach(() => void vi.stubEnv("TZ", "America/El_Salvador"));
  afterEach(() => void vi.unstubAllEnvs());

  it.each([
    ["2026-01-01T00:00:00Z", AT],
    ["2026-01-01T00:00:00", AT],
    ["2026-01-01 00:00:00.000000", AT],
    ["2026/01/01 00:00:00", AT],
    ["2025-12-31T18:00:00-06:00", AT],
    [AT, AT],
    [AT / 1_000, AT],
    [100_000_000_000, 100_000_000_000],
    [99_999_999_999, 99_999_999_999_000],
    ["some day", undefined],
    [AT * 1_000, AT],
    [AT * 1_000_000, AT],
    [String(AT / 1_000), AT],
    ["", undefined],
    [1e25, undefined],
    [null, undefined],
    [undefined, undefined],
  ])("is text, without a zone UTC wherever it is read, or a number of any unit: %j", (value, atMs) => {
    expect(createdAtMsOf({ created_at: value })).toBe(atMs ?? 0);
  });
});
