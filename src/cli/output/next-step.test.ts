import { expect, it } from "vitest";
import { nextStep } from "./next-step.ts";

it.each([
  ["OPENAI_UNAUTHORIZED: OpenAI answered 401 (request …)", "lull doctor tries the key"],
  ["NOT_SENT: Twilio answered 401, error 20003: https://…", "lull doctor tries the credentials"],
])("%s is for a person to repair", (reason, step) => {
  expect(nextStep(reason)).toBe(step);
});

it.each([
  "OPENAI_RATE_LIMITED: OpenAI answered 429",
  "NOT_SENT: Twilio answered 429, error 20429: https://…",
  "OPENAI_UNAVAILABLE: OpenAI answered 500 (request …)",
  "OPENAI_UNREACHABLE: OpenAI could not be reached (ECONNRESET)",
  "NOT_SENT: Twilio could not be reached (ECONNREFUSED)",
  "ANSWER_TIMEOUT: the responder gave no answer within 120 s",
  "SEND_UNKNOWN: Twilio answered 500",
  "SEND_UNKNOWN: NO_ANSWER: the provider of whatsapp did not answer in time",
])("%s goes on without one", (reason) => {
  expect(nextStep(reason)).toMatch(/^it goes on by itself/);
});

it.each(["it broke", "OPENAI_REJECTED: OpenAI answered 400", "NOT_SENT: Twilio answered 400, error 21610"])(
  "of %s no code tells what to do",
  (reason) => {
    expect(nextStep(reason)).toBeUndefined();
  },
);
