import fc from "fast-check";
import { expect, test } from "vitest";
import { ROUTES } from "../../src/http/api.ts";
import { ERROR } from "../../src/http/api-schemas.ts";
import type { EdgeAnswer } from "../../src/http/edge-request.ts";
import { publicSchema } from "../../src/http/public-schema.ts";
import type { Route } from "../../src/http/route.ts";
import { problemsIn, TO_PROGRAMS } from "../../src/schema/problems.ts";
import { type Schema, targetOf } from "../../src/schema/schema.ts";
import { hold } from "./hold.ts";
import { type Call, type InProcessService, inProcessService, VIEWS } from "./in-process-service.ts";
import { legible } from "./mutated.ts";
import { deepJson, nastyJson, nastyObject, nastyText } from "./nasty-json.ts";

/** Stands for the id of an existing conversation in a generated call. */
const KNOWN = "KNOWN-ID";

/** Values that a schema calls good. */
function good(schema: Schema): fc.Arbitrary<unknown> {
  if ("$ref" in schema) return good(targetOf(schema));
  switch (schema.type) {
    case "object": {
      const properties = Object.entries(schema.properties ?? { any: { type: "string" } });
      return fc.record(Object.fromEntries(properties.map(([key, each]) => [key, good(each)])), {
        requiredKeys: [...(schema.required ?? [])],
      });
    }
    case "array":
      return fc.array(good(schema.items), { maxLength: 3 });
    case "boolean":
      return fc.boolean();
    case "string":
      return schema.enum
        ? fc.constantFrom(...schema.enum)
        : fc.constantFrom("web", "whatsapp", "visitor-0001", "1", "x");
    default:
      return fc.oneof(fc.nat(20), fc.double({ min: 0, noNaN: true }));
  }
}

function bodyFor({ body }: Route): fc.Arbitrary<string> {
  const { properties = {} } = body ? publicSchema(body) : {};
  const fields = Object.entries(properties).map(([key, schema]) => [key, good(schema)]);
  return fc.oneof(
    { weight: 6, arbitrary: nastyObject(Object.fromEntries(fields), 6) },
    { weight: 1, arbitrary: nastyJson },
    { weight: 1, arbitrary: nastyText },
  );
}

const id = fc.oneof(
  { weight: 3, arbitrary: fc.constant(KNOWN) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      nastyText.map((text) => encodeURIComponent(text.toWellFormed())),
      nastyText,
    ),
  },
);
const query = fc
  .record({ limit: nastyText, cursor: nastyText, search: nastyText, active: nastyText }, { requiredKeys: [] })
  .map((given) => new URLSearchParams(given as Record<string, string>).toString());
const method = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "post", ""),
  },
  { weight: 1, arbitrary: nastyText },
);

/** Calls that come near a route, and calls that come near nothing. */
const call: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(...ROUTES).chain((route) =>
      fc
        .record({
          method: fc.oneof(
            { weight: 9, arbitrary: fc.constant<string>(route.method) },
            { weight: 1, arbitrary: method },
          ),
          id,
          tail: fc.constantFrom("", "", "", "", "/", "//", "/x"),
          query,
          body: bodyFor(route),
        })
        .map((given) => ({
          method: given.method,
          target: `${route.path.replace("{id}", given.id)}${given.tail}${given.query && `?${given.query}`}`,
          body: legible(Buffer.from(given.body)),
        })),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(method, nastyText, fc.uint8Array({ maxLength: 40 })).map(([verb, path, body]) => ({
      method: verb,
      target: `/api/${path}`,
      body: legible(Buffer.from(body)),
    })),
  },
);

/** A service with one conversation, whose message waits for its turn. */
async function withOneConversation(): Promise<{ service: InProcessService; known: string }> {
  const service = inProcessService();
  const body = JSON.stringify({ id: "1", sender: "visitor-0001", text: "hi" });
  const answer = await service.call({ method: "POST", target: "/webhooks/web", body });
  return { service, known: JSON.parse(answer.body).conversation_id };
}

async function play(calls: readonly Call[]): Promise<{ service: InProcessService; answers: EdgeAnswer[] }> {
  const { service, known } = await withOneConversation();
  const answers: EdgeAnswer[] = [];
  for (const each of calls)
    answers.push(await service.call({ ...each, target: each.target.replace(KNOWN, known) }));
  return { service, answers };
}

/** What the OpenAPI document promises about this answer, and what the answer has instead. */
function brokenPromises({ method: verb, target }: Call, { status, body }: EdgeAnswer): string[] {
  const path = target.split("?", 1)[0]?.replace(/^(\/api\/[^/]+)\/[^/]+/, "$1/{id}");
  const route = ROUTES.find((each) => each.method === verb && (each.path === path || each.path === target));
  const promised = route?.answers[status]?.schema ?? (status >= 400 ? ERROR : undefined);
  return promised ? problemsIn(JSON.parse(body), publicSchema(promised), "", TO_PROGRAMS) : [];
}

test("every call gets an answer that the document describes, and the same one again", () =>
  hold(
    fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), async (calls) => {
      const { service, answers } = await play(calls);
      for (const [at, answer] of answers.entries()) {
        expect(answer.status, answer.body).toBeLessThan(500);
        expect(answer.headers["content-type"]).toMatch(/^application\/json/);
        expect(answer.body.length).toBeLessThan(2_000_000);
        expect(brokenPromises(calls[at] as Call, answer)).toEqual([]);
      }
      expect((await play(calls)).answers).toEqual(answers);
      // Whatever the API was sent, the listings still work.
      for (const target of VIEWS) expect(await service.call({ target })).toMatchObject({ status: 200 });
      for (const { id: each } of JSON.parse((await service.call({ target: "/api/conversations" })).body)
        .items)
        expect(await service.call({ target: `/api/conversations/${each}` })).toMatchObject({ status: 200 });
      expect(service.errors).toEqual([]);
    }),
    { share: 3 },
  ));

const seconds = fc.oneof(fc.nat(20), fc.double({ min: 0, noNaN: true }));
const sender = fc.oneof(nastyText, fc.constantFrom("visitor-0001", "shop/visitor 7"));
const creation = nastyObject(
  {
    channel: fc.constant("web"),
    address: fc.constant("web"),
    sender,
    window: fc.oneof(fc.record({ seconds }), fc.record({ quiet_seconds: seconds })),
    attributes: fc.object(),
    first_message: nastyText,
  },
  12,
);

test("a conversation that the API makes is one that messages can come to", () =>
  hold(
    fc.asyncProperty(creation, async (body) => {
      const service = inProcessService();
      await service.start();
      const made = await service.call({ method: "POST", target: "/api/conversations", body });
      expect(made.status).toBeLessThan(500);
      const { id: known, sender: from, address } = JSON.parse(made.body).conversation ?? {};
      const message = JSON.stringify({ id: "1", sender: from, text: "hi" });
      const answer = await service.call({ method: "POST", target: "/webhooks/web", body: message });
      if (address === "web" && answer.status === 200)
        expect(JSON.parse(answer.body).conversation_id).toBe(known);
      expect([200, 400]).toContain(answer.status);
      await service.clock.advance(100);
      for (const target of VIEWS) expect(await service.call({ target })).toMatchObject({ status: 200 });
      if (known)
        expect(await service.call({ target: `/api/conversations/${known}` })).toMatchObject({ status: 200 });
      expect(service.errors).toEqual([]);
      await service.stop();
    }),
  ));

test("two people are two conversations", () =>
  hold(
    fc.asyncProperty(sender, sender, async (one, other) => {
      const service = inProcessService();
      const create = (from: string) => {
        const body = JSON.stringify({ channel: "web", address: "web", sender: from });
        return service.call({ method: "POST", target: "/api/conversations", body });
      };
      const made = [await create(one), await create(other)].filter(({ status }) => status < 300);
      const ids = new Set(made.map(({ body }) => JSON.parse(body).conversation.id));
      expect(ids.size).toBe(one === other ? Math.min(1, made.length) : made.length);
      expect(await service.counts()).toMatchObject({ conversations: ids.size });
    }),
    { examples: [["\ud800-visitor", "\udfff-visitor"]] },
  ));

test.each([
  ["nested without end", `{"attributes":{"a":${deepJson(200_000)}}}`],
  ["nested where a text should be", `{"text":${deepJson(200_000)}}`],
  [
    "unknown keys",
    JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, 0]))),
  ],
  ["a list of the wrong things", `{"allowed_channels":[${"1,".repeat(300_000)}1]}`],
])("%s is refused in few words", async (_, body) => {
  const good = '"channel":"web","address":"web","sender":"visitor-0002"';
  for (const target of ["/api/conversations", "/api/turns/t/reply", "/api/conversations/c/say"]) {
    const answer = await inProcessService().call({
      method: "POST",
      target,
      body: body.replace("{", `{${good},`),
    });
    expect(answer.status).toBe(400);
    expect(answer.body.length).toBeLessThan(5_000);
  }
});

test("without a token no caller gets in by odd addresses, hosts and headers", () =>
  hold(
    fc.asyncProperty(nastyText, nastyText, nastyText, async (host, authorization, origin) => {
      const service = inProcessService({ apiToken: "the-right-token-of-all" });
      const answer = await service.call({ target: "/api/counts", headers: { host, authorization, origin } });
      expect(answer.status).toBe(401);
      const open = await inProcessService({}, {}).call({
        target: "/api/counts",
        headers: { host, authorization, origin },
      });
      expect([200, 403]).toContain(open.status);
      if (open.status === 200) expect(host).toMatch(/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i);
    }),
  ));
