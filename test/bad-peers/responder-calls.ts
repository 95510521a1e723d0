import { askHealth } from "../../src/cli/doctor/ask-health.ts";
import { checkClock } from "../../src/cli/doctor/clock.ts";
import { checkService } from "../../src/cli/doctor/service.ts";
import type { Responder } from "../../src/ports/responder.ts";
import { http } from "../../src/responders/http/index.ts";
import { openai } from "../../src/responders/openai/index.ts";
import { queue } from "../../src/responders/queue/index.ts";
import { systemClock } from "../../src/runtime/system-clock.ts";
import { secretsManager } from "../../src/secrets/manager/index.ts";
import { fakeTurn } from "../../src/testing/fake-turn.ts";
import { abortedOr, type OutgoingCall, unlessStatusCame } from "./outgoing-call.ts";

async function asked(responder: Responder, signal: AbortSignal): Promise<unknown> {
  return responder(fakeTurn("are you open?", { signal }));
}

/** What responders ask, and what is asked for them: all under the turn's own deadline. */
export const RESPONDER_CALLS: readonly OutgoingCall[] = [
  {
    name: "openai: ask",
    of: ["responders/openai/call.ts"],
    make: (url, signal) => asked(openai({ baseUrl: url, apiKey: "sk-test" }), signal),
    ends: abortedOr("OPENAI_UNREACHABLE later"),
  },
  {
    name: "http: ask",
    of: ["responders/http/http.ts"],
    make: (url, signal) => asked(http({ url }), signal),
    ends: abortedOr("HTTP_UNREACHABLE later"),
  },
  {
    name: "queue: hand over",
    of: ["responders/queue/queue.ts"],
    make: (endpoint, signal) =>
      asked(queue({ url: `${endpoint}/000000000000/ai`, endpoint, region: "eu-west-1" }), signal),
    ends: abortedOr("QUEUE_UNAVAILABLE later"),
  },
  {
    name: "secrets manager: get",
    of: ["secrets/manager/secrets-manager.ts"],
    make: (endpoint) =>
      secretsManager({ endpoint, region: "eu-west-1", timeoutSeconds: 0.3 }).get({ name: "prod/twilio" }),
    ends: "SECRET_UNAVAILABLE later",
  },
  {
    name: "doctor: clock",
    of: ["cli/doctor/clock.ts"],
    make: async (url, signal) => (await checkClock(systemClock.nowMs, url, signal)).verdict,
    ends: "skip",
  },
  {
    name: "openai: check",
    of: ["responders/openai/check.ts"],
    make: (url, signal) => verdictOf(openai({ baseUrl: url, apiKey: "sk-test" }), signal),
    ends: unlessStatusCame("fail", "ok"),
  },
  {
    name: "http: check",
    of: [],
    make: (url, signal) => verdictOf(http({ url: url.replace("http:", "https:") }), signal),
    ends: "fail",
  },
  {
    name: "queue: check",
    of: ["responders/queue/check.ts"],
    make: (endpoint, signal) =>
      verdictOf(queue({ url: `${endpoint}/000000000000/ai`, endpoint, region: "eu-west-1" }), signal),
    ends: "fail",
  },
  {
    name: "doctor: public URL",
    of: ["cli/doctor/ask-health.ts"],
    make: async (url, signal) => askHealth(url, "a-word", signal),
    ends: "error",
  },
  {
    name: "doctor: service",
    of: ["cli/running-service.ts"],
    make: async (url, signal) => {
      const { hostname, port } = new URL(url);
      const asking = { apiToken: undefined, secrets: { get: async () => "" } };
      const [found] = await checkService({ host: hostname, port: Number(port) }, asking, signal);
      return found?.verdict ?? "nothing";
    },
    ends: (manner) => (manner === "closes" ? "nothing" : "fail"),
  },
];

async function verdictOf({ check }: Responder, signal: AbortSignal): Promise<string | undefined> {
  return (await check?.(signal))?.[0]?.verdict;
}
