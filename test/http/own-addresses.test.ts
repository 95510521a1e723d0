import { describe, expect, it } from "vitest";
import { twilio } from "../../src/channels/twilio/index.ts";
import { signatureOf, signedForm } from "../../src/channels/twilio/verify.ts";
import { wati } from "../../src/channels/wati/index.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { createService } from "../../src/runtime/create-service.ts";

describe("providers of one type", () => {
  const secrets = { get: async () => "a-secret-of-sixteen-letters" };
  const base = {
    engine: memory(),
    publicUrl: "https://us.example.test",
    secrets,
    log: () => {},
    respond: () => "ok",
  };
  const twilioAt = (from?: string) =>
    twilio.whatsapp({ accountSid: "AC1", authToken: "token", ...(from && { from }) });
  const watiAt = (numbers?: string) =>
    wati({ apiUrl: "http://localhost/1", token: "t", webhookSecret: "s", ...(numbers && { numbers }) });

  it("say what has to be set", () => {
    expect(() => createService({ ...base, channels: { a: twilioAt("+15550100"), b: twilioAt() } })).toThrow(
      "set `from` (TWILIO_WHATSAPP_FROM) of channel b",
    );
    expect(() => createService({ ...base, channels: { a: twilioAt("+15550100"), w: watiAt() } })).toThrow(
      "set `numbers` (WATI_NUMBERS) of channel w",
    );
    expect(() => createService({ ...base, channels: { a: watiAt(), b: watiAt() } })).toThrow("WATI_NUMBERS");
    const same = { a: twilioAt("whatsapp:+15550100"), w: watiAt("15550100") };
    expect(() => createService({ ...base, channels: same })).toThrow("the same address +15550100");
  });

  it("may be one of each where the numbers are", async () => {
    const channels = { a: twilioAt("+15550100"), w: watiAt("+15550199, 15550198") };
    const service = createService({ ...base, channels });
    const bodyFor = (fields: object) => ({
      method: "POST",
      url: "https://us.example.test/webhooks/w?secret=a-secret-of-sixteen-letters",
      headers: {},
      body: Buffer.from(JSON.stringify({ eventType: "message", waId: "15550177", text: "hi", ...fields })),
    });
    const own = { id: "1", channelPhoneNumber: "15550198" };
    const answers = [];
    for (const fields of [own, { id: "2" }, { id: "3", channelPhoneNumber: "+15550100", bsuid: "+15550142" }])
      answers.push((await service.receive("w", bodyFor(fields))).status);
    expect(answers).toEqual([200, 200, 401]);
    const { items } = await (await service.engine()).inspector.conversations({ limit: 9 });
    expect(items.map(({ address }) => address).sort()).toEqual(["15550198", "15550199"]);
    await service.stop(0);
  });

  it.each([
    ["every number, where it names none", undefined, 200],
    ["its own number", "+15550142", 200],
    ["no other number than those it names", "15550199", 401],
  ])("alone at WATI takes messages for %s", async (_, numbers, status) => {
    const service = createService({ ...base, engine: memory(), channels: { w: watiAt(numbers) } });
    const body = Buffer.from(
      JSON.stringify({ id: "1", waId: "15550177", text: "hi", channelPhoneNumber: "15550142" }),
    );
    const url = "https://us.example.test/webhooks/w?secret=a-secret-of-sixteen-letters";
    expect((await service.receive("w", { method: "POST", url, headers: {}, body })).status).toBe(status);
    await service.stop(0);
  });

  it.each([
    ["every number, where it names none", undefined, 200],
    ["every number, where it names a Messaging Service, which is no number", `MG${"0".repeat(32)}`, 200],
    ["its own numbers", "+15550100, whatsapp:+15550142", 200],
    ["no other number than those it names", "+15550100", 403],
  ])("alone at Twilio takes messages for %s", async (_, from, status) => {
    const service = createService({ ...base, engine: memory(), channels: { a: twilioAt(from) } });
    const fields = {
      AccountSid: "AC1",
      MessageSid: `SM${"1".repeat(32)}`,
      From: "whatsapp:+15550177",
      To: "whatsapp:+15550142",
      Body: "hi",
    };
    const url = "https://us.example.test/webhooks/a";
    const form = new Map(Object.entries(fields).map(([name, value]) => [name, [value]]));
    const signed = `${url}${signedForm(form)}`;
    const headers = {
      "content-type": "application/x-www-form-urlencoded",
      "x-twilio-signature": signatureOf("a-secret-of-sixteen-letters", signed),
    };
    const body = Buffer.from(new URLSearchParams(fields).toString());
    expect((await service.receive("a", { method: "POST", url, headers, body })).status).toBe(status);
    await service.stop(0);
  });
});
