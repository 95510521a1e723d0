import type { ConfiguredChannel } from "../../config/channels.ts";
import type { Loaded } from "../../config/load.ts";
import type { Aliases } from "../../schema/aliases.ts";
import { maskUrl } from "../../schema/plain-url.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

/** Without it Twilio retries only connection failures: a 503 in a bad moment would lose the message. */
const TWILIO_RETRY = "#rc=3&rp=all";

/** What keeps a channel from being served, and the URL to enter at each provider. */
export async function checkWebhooks(
  { resolved, server }: Loaded,
  channels: readonly ConfiguredChannel[],
): Promise<CheckResult[]> {
  const unfit = (await Promise.all(channels.map(unfitness))).flat();
  const outside = channels.filter(({ channel }) => channel.type !== "web");
  const publicUrl = resolved.get("publicUrl")?.value as string | undefined;
  // A channel that signs its visitors is served to the world.
  const isServed = channels.some(({ channel }) => channel.isUnsigned !== true) || publicUrl !== undefined;
  if (!isServed) return unfit;
  const shown = publicUrl && maskUrl(publicUrl);
  const paths = Object.entries((resolved.get("aliases")?.value ?? {}) as Aliases);
  const base = (shown ?? `http://${server.host}:${server.port}`).replace(/\/+$/, "");
  return [...unfit, checkPublicUrl(shown), ...outside.map((channel) => webhookOf(channel, base, paths))];
}

async function unfitness({ name, channel }: ConfiguredChannel): Promise<CheckResult[]> {
  try {
    const why = await channel.unfit?.();
    return why === undefined ? [] : [fail(`channel ${name}`, why)];
  } catch (error) {
    return [fail(`channel ${name}`, (error as Error).message)];
  }
}

function checkPublicUrl(publicUrl: string | undefined): CheckResult {
  if (publicUrl === undefined) {
    return warn(
      "public URL",
      "LULL_PUBLIC_URL is not set: no caller outside this machine knows where to call, " +
        "and what a proxy passes on is taken for this machine's own",
    );
  }
  return publicUrl.startsWith("https://")
    ? ok("public URL", publicUrl)
    : warn("public URL", `${publicUrl} is not https`);
}

function webhookOf(
  { name, channel, kind }: ConfiguredChannel,
  base: string,
  aliases: readonly (readonly [path: string, channel: string])[],
): CheckResult {
  const url = `${base}/webhooks/${name}`;
  const check = `webhook ${name}`;
  // The name that the bots' URLs have for it.
  const passkey = kind === "wati" ? "?passkey=<WATI_WEBHOOK_SECRET>" : "";
  const others = aliases
    .filter(([, of]) => of === name)
    .map(([path]) => `; also at ${base}${path}${passkey}`);
  // Only Twilio takes TwiML, so only a Twilio channel can put the busy text into its answer.
  if (channel.busyTextInAnswer) return ok(check, `enter at Twilio: ${url}${TWILIO_RETRY}${others.join("")}`);
  if (kind === "wati")
    return ok(check, `enter at WATI: ${url}?secret=<WATI_WEBHOOK_SECRET>${others.join("")}`);
  return ok(check, `POST ${url}${others.join("")}`);
}
