import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hold } from "./hold.ts";
import { type InProcessService, inProcessService, VIEWS } from "./in-process-service.ts";
import { nastyText } from "./nasty-json.ts";
import { type Delivery, forgeries, SENDERS, type Sender } from "./senders.ts";

const post = ({ target, headers, body }: Delivery) => ({ method: "POST", target, headers, body });

async function expectNothingBroken(at: InProcessService): Promise<void> {
  for (const target of VIEWS) expect(await at.call({ target })).toMatchObject({ status: 200 });
  const { items } = JSON.parse((await at.call({ target: "/api/conversations" })).body);
  for (const { id } of items)
    expect(await at.call({ target: `/api/conversations/${id}` })).toMatchObject({ status: 200 });
  expect(at.errors).toEqual([]);
}

describe.each(SENDERS.map((sender) => [sender.name, sender] as const))(
  "POST /webhooks/%s",
  (name, sender) => {
    const target = fc
      .tuple(fc.constantFrom("", "/status"), sender.suffix)
      .map(([step, suffix]) => `/webhooks/${name}${step}${suffix}`);

    test.skipIf(sender.prove === undefined)("without the secret nothing is staged, whatever it says", () =>
      hold(
        fc.asyncProperty(target, sender.body, nastyText, async (at, body, noise) => {
          const service = inProcessService();
          for (const forged of forgeries(sender, at, body, noise)) {
            const { status } = await service.call(post(forged));
            // 400: a content type that its provider never sends, refused before the proof is checked.
            expect([400, 401, 403, 404]).toContain(status);
          }
          expect(await service.counts()).toMatchObject({
            conversations: 0,
            staged: 0,
            windows: 0,
            refusals: 0,
          });
          expect(service.errors).toEqual([]);
        }),
      ),
    );

    test("with the secret it is staged once, or refused, and people can look at what came of it", () =>
      hold(
        fc.asyncProperty(target, sender.body, async (at, body) => {
          const service = inProcessService();
          const answers = await Promise.all(
            deliveries(sender, at, body).map((each) => service.call(post(each))),
          );
          for (const { status } of answers) expect([200, 400, 401, 403, 404]).toContain(status);
          const { staged, conversations } = await service.counts();
          // The same message twice is one message; only a body that carries no id and no time is new each
          // time.
          expect(staged).toBeLessThanOrEqual(name === "wati" ? 2 : 1);
          expect(conversations).toBeLessThanOrEqual(1);
          if (staged > 0) expect(answers[0]?.status).toBe(200);
          await expectNothingBroken(service);
        }),
        { share: 3 },
      ));

    test("what is staged gets its turn", () =>
      hold(
        fc.asyncProperty(sender.body, async (body) => {
          const service = inProcessService();
          await service.start();
          for (const each of deliveries(sender, `/webhooks/${name}`, body)) await service.call(post(each));
          const { staged } = await service.counts();
          // Twilio and WATI are not there: the answer is written down, and that is as far as it gets.
          await service.clock.advance(10_100);
          const { leases, turns, windows, dead } = await service.counts();
          if (staged > 0) expect(leases + turns + windows + dead).toBeGreaterThan(0);
          await expectNothingBroken(service);
          await service.stop();
        }),
        { share: 0.2 },
      ));
  },
);

/** Twice, as providers do. */
function deliveries(sender: Sender, target: string, body: Buffer): Delivery[] {
  const proven = sender.prove ? sender.prove(target, body) : { target, body, headers: {} };
  return proven === undefined ? [] : [proven, proven];
}

const feedQuery = fc
  .record(
    {
      sender: fc.oneof(
        { weight: 4, arbitrary: fc.constant("{sender}") },
        { weight: 1, arbitrary: nastyText },
      ),
      conversation: fc.oneof(nastyText, fc.constant("{conversation}")),
      after: fc.oneof(nastyText, fc.constantFrom("0", "1e999", "-1", "NaN")),
      stranger: nastyText,
    },
    { requiredKeys: [] },
  )
  .map((query) => new URLSearchParams(query as Record<string, string>).toString());

test("the feed shows a visitor's own conversation and no other, whatever is asked", () =>
  hold(
    fc.asyncProperty(
      fc.constantFrom("GET", "HEAD", "POST", "DELETE", "get"),
      fc.constantFrom("web", "shop", "whatsapp", "constructor"),
      fc.constantFrom("visitor-0001", "shop/visitor 7", "ñandú 😀 visitor"),
      fc.oneof({ weight: 3, arbitrary: feedQuery }, { weight: 1, arbitrary: nastyText }),
      nastyText,
      async (method, channel, sender, query, signature) => {
        const service = inProcessService();
        const body = JSON.stringify({ id: "1", sender, text: "hi" });
        const staged = await service.call({ method: "POST", target: "/webhooks/web", body });
        const id = JSON.parse(staged.body).conversation_id;
        const search = query
          .replace(encodeURIComponent("{conversation}"), id)
          .replace(encodeURIComponent("{sender}"), encodeURIComponent(sender));
        const asked = {
          method,
          target: `/webhooks/${channel}/feed?${search}`,
          headers: { "x-lull-signature": signature },
        };
        const answer = await service.call(asked);
        expect([200, 400, 401, 404, 405]).toContain(answer.status);
        expect(await service.call(asked)).toEqual(answer);
        if (answer.status === 200) {
          expect(new URLSearchParams(search).get("sender")).toBe(sender);
          expect(JSON.parse(answer.body)).toMatchObject({
            conversation: id,
            waiting: [{ id: "1", text: "hi" }],
          });
        }
        expect(service.errors).toEqual([]);
      },
    ),
    { share: 2 },
  ));
