import { StoreUnavailable, tellable } from "../errors.ts";
import type { Channel, WebhookAnswer, WebhookRequest } from "../ports/channel.ts";
import { answerWithin } from "../wire/deadline.ts";
import { admitted } from "./arrivals.ts";
import { knownChannel } from "./known-channel.ts";
import type { ReceiveContext } from "./receive-context.ts";
import { refuse } from "./refuse.ts";
import { takeIn } from "./take-in.ts";

/**
 * Verify -> parse -> stage -> acknowledge. The provider hears "yes" only when everything is durable.
 */
export async function receive(
  context: ReceiveContext,
  name: string,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const { sampled, clock, settings } = context;
  const channel = knownChannel(context.channels, name);
  try {
    // What is stored after that was never acknowledged: the provider sends it again, and it is a duplicate.
    return await answerWithin(clock, settings.receiveTimeoutMs, () =>
      answer(context, name, channel, request),
    );
  } catch (error) {
    if (error instanceof StoreUnavailable) context.store.failed();
    // Whatever it was, nothing may be acknowledged that is not stored, so the provider is asked to come back.
    // A parser's error quotes what it could not parse.
    sampled.note("error", "webhook.failed", { channel: name, reason: tellable(error) });
    return channel.answer({ code: "STORE_UNAVAILABLE", retryAfterSeconds: 1 });
  }
}

async function answer(
  context: ReceiveContext,
  name: string,
  channel: Channel,
  request: WebhookRequest,
): Promise<WebhookAnswer> {
  const { log } = context;
  await context.fitness.require(name);
  const verdict = await channel.verify(request);
  if (verdict.kind === "refused")
    return refuse(context, name, { code: "INVALID_SIGNATURE", detail: verdict.why });
  const parsed = channel.parse(request);
  switch (parsed.kind) {
    case "challenge":
      return parsed.answer;
    case "ignored":
      log("debug", "webhook.ignored", { channel: name, reason: parsed.why });
      return channel.answer({});
    case "invalid":
      return refuse(context, name, { code: "INVALID_PAYLOAD", detail: parsed.why });
    case "updates": {
      const arrived = admitted(context, name, channel, parsed.messages);
      return channel.answer(await takeIn(context, { name, channel, arrived, statuses: parsed.statuses }));
    }
  }
}
