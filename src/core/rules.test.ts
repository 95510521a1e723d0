import { describe, expect, it } from "vitest";
import type { ProjectRule as Rule } from "../model/project.ts";
import { fakeConversation } from "../testing/fake-turn.ts";
import { decideAnswer, decideReceipt } from "./rules.ts";

const open = { admission: "open", whileBusy: "queue" } as const;
const known = { admission: "known", whileBusy: "queue" } as const;
const reject = { admission: "open", whileBusy: "reject" } as const;
const ACTIVE_PROJECT = { status: "active" };
const conversation = fakeConversation({ allowedChannels: ["whatsapp"] });

describe.each([
  ["a project's rules", (rule: Rule) => decideAnswer(fakeConversation(), rule, "sms")],
  [
    "a conversation's own rules",
    ({ status: projectStatus, ...rest }: Rule) =>
      decideAnswer(fakeConversation({ projectStatus, ...rest }), ACTIVE_PROJECT, "sms"),
  ],
])("%s", (_, decide) => {
  const refused = (code: string) => ({ kind: "refuse", code });

  it("want an active project", () => {
    expect(decide({ status: "active" })).toEqual({ kind: "answer" });
    expect(decide({ status: "archived" })).toEqual(refused("PROJECT_INACTIVE"));
    expect(decide({ status: "" })).toEqual(refused("PROJECT_INACTIVE"));
  });

  it("want an allowed channel type, where any are named", () => {
    expect(decide({ status: "active", allowedChannels: ["sms"] })).toEqual({ kind: "answer" });
    expect(decide({ status: "active", allowedChannels: ["web"] })).toEqual(refused("CHANNEL_NOT_ALLOWED"));
    expect(decide({ status: "active", allowedChannels: [] })).toEqual(refused("CHANNEL_NOT_ALLOWED"));
  });

  it("name the project first", () => {
    expect(decide({ status: "archived", allowedChannels: [] })).toEqual(refused("PROJECT_INACTIVE"));
  });
});

describe("a message", () => {
  it("of an unknown customer makes a conversation, or is refused where only known ones are admitted", () => {
    expect(decideReceipt(undefined, ACTIVE_PROJECT, false, "sms", open)).toEqual({ kind: "create" });
    const archived = { status: "archived" };
    expect(decideReceipt(undefined, archived, false, "sms", open)).toEqual({
      kind: "refuse",
      code: "PROJECT_INACTIVE",
    });
    expect(decideReceipt(undefined, archived, false, "sms", known)).toEqual({
      kind: "refuse",
      code: "CONVERSATION_NOT_FOUND",
    });
  });

  it("of a known person is accepted under either admission", () => {
    expect(decideReceipt(conversation, ACTIVE_PROJECT, false, "whatsapp", open)).toEqual({ kind: "accept" });
    expect(decideReceipt(conversation, ACTIVE_PROJECT, false, "whatsapp", known)).toEqual({ kind: "accept" });
  });

  it("against a rule is refused, busy or not", () => {
    const refused = { kind: "refuse", code: "CHANNEL_NOT_ALLOWED" };
    expect(decideReceipt(conversation, ACTIVE_PROJECT, false, "sms", open)).toEqual(refused);
    expect(decideReceipt(conversation, ACTIVE_PROJECT, true, "sms", reject)).toEqual(refused);
  });

  it("during a turn is refused only by the policy that says so", () => {
    expect(decideReceipt(conversation, ACTIVE_PROJECT, true, "whatsapp", open)).toEqual({ kind: "accept" });
    expect(
      decideReceipt(conversation, ACTIVE_PROJECT, true, "whatsapp", { ...open, whileBusy: "restart" }),
    ).toEqual({
      kind: "accept",
    });
    expect(decideReceipt(conversation, ACTIVE_PROJECT, true, "whatsapp", reject)).toEqual({
      kind: "refuse",
      code: "CONVERSATION_LOCKED",
    });
    expect(decideReceipt(conversation, ACTIVE_PROJECT, false, "whatsapp", reject)).toEqual({
      kind: "accept",
    });
  });
});

describe("a turn", () => {
  it("checks the rules again when it starts", () => {
    expect(decideAnswer(conversation, ACTIVE_PROJECT, "whatsapp")).toEqual({ kind: "answer" });
    expect(decideAnswer(conversation, ACTIVE_PROJECT, "sms")).toEqual({
      kind: "refuse",
      code: "CHANNEL_NOT_ALLOWED",
    });
    const archived = { ...conversation, projectStatus: "archived", handedOff: true };
    expect(decideAnswer(archived, ACTIVE_PROJECT, "whatsapp")).toEqual({
      kind: "refuse",
      code: "PROJECT_INACTIVE",
    });
  });

  it("of a conversation that a human has is handed over", () => {
    expect(decideAnswer({ ...conversation, handedOff: true }, ACTIVE_PROJECT, "whatsapp")).toEqual({
      kind: "hand-off",
    });
  });
});
