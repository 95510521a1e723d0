import { afterAll, beforeAll, expect, test } from "vitest";
import { serveStub, stubService } from "../../test/http/stub-service.ts";
import { ROUTES } from "./api.ts";
import type { Serving } from "./node.ts";

const TOKEN = "token-of-acme-of-some-length";

let serving: Serving;
beforeAll(async () => {
  serving = await serveStub(stubService({ projectTokens: { acme: { api: TOKEN } } }));
});
afterAll(() => serving.close(0));

/** What one project may ask for, by its own token. */
const OF_PROJECTS = [
  "closeConversation",
  "createConversation",
  "deleteDeadLetter",
  "discardDeadLetter",
  "eraseConversation",
  "erasePerson",
  "eraseSynthetic",
  "exportPerson",
  "findPerson",
  "getConversation",
  "handBackConversation",
  "handOffConversation",
  "listConversations",
  "listDeadLetters",
  "listLocks",
  "listRefusals",
  "listUnknownSends",
  "markUnknownSend",
  "openapi",
  "pauseConversation",
  "replyToTurn",
  "resendUnknownSend",
  "resumeConversation",
  "retryDeadLetter",
  "say",
];

/** What concerns all of them. */
const OF_THE_OPERATOR = [
  "changeProject",
  "getCounts",
  "listProjects",
  "listQuarantined",
  "pauseAll",
  "resetProject",
  "resumeAll",
];

test("each route is known to be for projects or for the operator alone, and answers so", async () => {
  const known = [...OF_PROJECTS, ...OF_THE_OPERATOR].sort();
  expect(ROUTES.map(({ operation }) => operation).sort()).toEqual(known);
  const refused: string[] = [];
  for (const { method, path, operation } of ROUTES) {
    const answer = await fetch(serving.url + path.replace("{id}", "x_1"), {
      method,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    if (answer.status === 403) refused.push(operation);
  }
  expect(refused.sort()).toEqual(OF_THE_OPERATOR);
});
