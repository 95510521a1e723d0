import fc from "fast-check";
import { type Call, type InProcessService, inProcessService } from "./in-process-service.ts";
import { deepJson, nastyJson, nastyText } from "./nasty-json.ts";
import { forgeries, SENDERS } from "./senders.ts";

/**
 * Sends the same bad requests round after round, and prints how much memory is in use after some of them and
 * after all.
 */
const [samples = 20, rounds = 25] = process.argv.slice(2).map(Number);

const forged: Call[] = SENDERS.filter(({ prove }) => prove).flatMap((sender) =>
  fc
    .sample(fc.tuple(sender.body, nastyText), { numRuns: samples, seed: 1 })
    .flatMap(([body, noise]) => forgeries(sender, `/webhooks/${sender.name}`, body, noise))
    .map((delivery) => ({ method: "POST", ...delivery })),
);
const strange: Call[] = fc
  .sample(fc.tuple(nastyText, nastyText, nastyJson), { numRuns: samples, seed: 2 })
  .flatMap(([path, search, body]) => [
    { method: "POST", target: `/api/${path}`, body },
    { target: `/api/conversations/${path}?cursor=${search}` },
    { target: `/webhooks/web/feed?sender=${path.padEnd(9)}&after=${search}` },
    { method: "POST", target: `/webhooks/${path}`, body },
    { method: "POST", target: "/webhooks/web", body },
    { method: path, target: search },
  ]);
const large: Call[] = ["/webhooks/web", "/api/conversations"].flatMap((target) => [
  { method: "POST", target, body: "x".repeat(1_000_001) },
  { method: "POST", target, body: deepJson(5_000) },
]);

async function leaveNoTrace(calls: readonly Call[]): Promise<Call[]> {
  const harmless: Call[] = [];
  for (const call of calls) {
    const fresh = inProcessService();
    await fresh.call(call);
    const { conversations, staged, refusals } = await fresh.counts();
    if (conversations + staged + refusals === 0) harmless.push(call);
  }
  return harmless;
}

async function play(service: InProcessService, calls: readonly Call[], times: number): Promise<number> {
  for (let round = 0; round < times; round += 1) for (const call of calls) await service.call(call);
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

const calls = await leaveNoTrace([...forged, ...strange, ...large]);
const service = inProcessService({ limits: { senderPerMinuteMax: 5 } });
const before = await play(service, calls, Math.ceil(rounds / 4));
const after = await play(service, calls, rounds);
console.log(JSON.stringify({ before, after, requests: calls.length * rounds }));
