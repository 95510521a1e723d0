import type { Choices } from "./choices.ts";
import { importLines } from "./config-file.ts";

export type Runner = "node" | "vitest";
type Responder = Choices["responder"];

const WINDOW = "window: { quietSeconds: 4, maxSeconds: 20 }";
const TITLES: Readonly<Record<Responder, string>> = {
  echo: "a burst gets one answer, when it is over",
  function: "a burst gets one answer, when it is over",
  openai: "the model is asked once for a burst, with everything in it",
  http: "the service is asked once for a burst, with everything in it",
};
const IMPORTS: Readonly<Record<Responder, readonly string[]>> = {
  echo: ['import { echo } from "lull/echo";', 'import { testLull } from "lull/testing";'],
  function: ['import { testLull } from "lull/testing";', 'import { respond } from "./respond.ts";'],
  openai: [
    'import { openai } from "lull/openai";',
    'import { fakeOpenai, testLull } from "lull/testing";',
    'import { assistant } from "./assistant.ts";',
  ],
  http: [
    'import { once } from "node:events";',
    'import { createServer } from "node:http";',
    'import type { AddressInfo } from "node:net";',
    'import { json } from "node:stream/consumers";',
    'import { http } from "lull/http";',
    'import { testLull } from "lull/testing";',
    'import { service } from "./service.ts";',
  ],
};

/** It waits for nothing but the responder: the clock is moved by hand. */
export function testFile({ responder }: Choices, runner: Runner): string {
  const own =
    runner === "node"
      ? ['import assert from "node:assert/strict";', 'import { test } from "node:test";']
      : ['import { expect, test } from "vitest";'];
  const equal = (a: string, b: string) =>
    runner === "node" ? `assert.deepEqual(${a}, ${b});` : `expect(${a}).toEqual(${b});`;
  const { before, respond, after, reply } = PARTS[responder](equal);
  return `${importLines([...own, ...IMPORTS[responder]])}

test("${TITLES[responder]}", async () => {
${before}  const lull = testLull({
    ${WINDOW},
    ${respond},
  });
  await lull.receive("ana", "a table");
  await lull.advance(2_000);
  await lull.receive("ana", "for two");
  await lull.advance(3_999);
  ${equal("lull.sent", "[]")}
  await lull.advance(1);
  await lull.whenSent(1);
  ${equal("lull.sent", `[{ to: "ana", text: ${reply} }]`)}
  await lull.stop();
${after}});
`;
}

interface Parts {
  readonly before: string;
  readonly respond: string;
  readonly reply: string;
  readonly after: string;
}

const COUNTED = '"2 messages, one answer: a table\\nfor two"';
const ECHOED = '"2 messages, one answer:\\na table\\nfor two"';

const PARTS: Readonly<Record<Responder, (equal: (a: string, b: string) => string) => Parts>> = {
  echo: () => ({ before: "", respond: "respond: echo()", reply: ECHOED, after: "" }),
  function: () => ({ before: "", respond: "respond", reply: COUNTED, after: "" }),
  openai: (equal) => ({
    before: `  const model = fakeOpenai();
  await model.start();
  model.behave("At what time?");
`,
    respond: "respond: openai({ ...assistant, ...model.options() })",
    reply: '"At what time?"',
    after: `  ${equal("model.asked.map(({ lastUserText }) => lastUserText)", '["a table\\nfor two"]')}
  await model.stop();
`,
  }),
  http: (equal) => ({
    before: `  const asked: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { turn } = (await json(request)) as { turn: { text: string } };
    asked.push(turn.text);
    response.end("At what time?");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { pathname } = new URL(service.url);
  const url = \`http://127.0.0.1:\${(server.address() as AddressInfo).port}\${pathname}\`;
`,
    respond: "respond: http({ ...service, url })",
    reply: '"At what time?"',
    after: `  ${equal("asked", '["a table\\nfor two"]')}
  server.close();
`,
  }),
};
