import { afterEach, expect, it } from "vitest";
import { fakeItem } from "../../src/testing/fake-openai.ts";
import { eventually } from "../lull-process.ts";
import { type Surroundings, surroundings } from "./surroundings.ts";

let at: Surroundings;
afterEach(() => at?.end());

/** A customer who was another system's until now. */
async function moveIn(customer: number, attributes: Record<string, string>): Promise<void> {
  const sender = `+503700${String(customer).padStart(5, "0")}`;
  const record = { channel: "whatsapp", address: "+14155238886", sender, attributes };
  await at.api("/conversations", { method: "POST", body: JSON.stringify(record) });
}

it("who moved in is answered on top of what is left at OpenAI, and it is said where nothing is", async () => {
  at = await surroundings({ LULL_OPENAI_PAST: "every-turn" });
  at.openai.keep("resp_1");
  at.openai.keep("conv_2", [fakeItem("user", "a table"), fakeItem("assistant", "for how many?")]);
  const service = await at.start(1);
  const ids = ["resp_1", "conv_2", "resp_forgotten", "thread_4"];
  for (const [n, id] of ids.entries()) await moveIn(n + 1, { openai_thread_id: id });
  for (const [n] of ids.entries()) await at.write(n + 1, `from ${n + 1}`);
  await at.twilio.whenSent(4);
  expect(at.twilio.sent.map(({ body }) => body).sort()).toEqual(
    [1, 2, 3, 4].map((n) => `answer to: from ${n}`),
  );

  const asked = (text: string) => at.openai.asked.filter(({ lastUserText }) => lastUserText === text);
  expect(asked("from 1").map(({ body }) => body.previous_response_id)).toEqual(["resp_1"]);
  expect(asked("from 2")[0]?.body.input).toHaveLength(3);
  expect(asked("from 3").map(({ body }) => body.previous_response_id)).toEqual(["resp_forgotten", undefined]);
  expect(asked("from 4").map(({ body }) => body.previous_response_id)).toEqual([undefined]);
  for (const { body } of at.openai.asked) {
    expect(body.store).toBe(false);
    expect(body).not.toHaveProperty("conversation");
  }

  // The next turns have our own record, and what is still there under it.
  for (const n of [1, 3, 4]) await at.write(n, `again ${n}`);
  await at.twilio.whenSent(7);
  expect(asked("again 1")[0]?.body).toMatchObject({ previous_response_id: "resp_1", store: false });
  for (const n of [1, 3, 4])
    expect(asked(`again ${n}`).map(({ body }) => body.input)).toEqual([
      [
        { role: "user", content: `from ${n}` },
        { role: "assistant", content: `answer to: from ${n}` },
        { role: "user", content: `again ${n}` },
      ],
    ]);
  const noted = await eventually("the log", async () => {
    const told = service.events.filter(({ event }) => event === "turn.noted");
    return told.length > 1 ? told : undefined;
  });
  expect(noted.map(({ code, level }) => `${level} ${code}`).sort()).toEqual([
    "info OPENAI_PAST_GONE",
    "info OPENAI_THREAD_ENDED",
  ]);
  expect(service.stderr).not.toMatch(/thread_4|resp_forgotten/);
});
