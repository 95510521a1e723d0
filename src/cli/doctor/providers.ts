import type { ConfiguredChannel } from "../../config/channels.ts";
import type { Loaded } from "../../config/load.ts";
import { LullError } from "../../errors.ts";
import { type CheckResult, fail, ok, warn } from "./check-result.ts";

/** Asks every channel that can tell whether its credentials work. */
export async function checkChannels(
  channels: readonly ConfiguredChannel[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  if (channels.length === 0)
    return [warn("channels", "none is configured: `lull start` needs one, `lull dev` does not")];
  return (await Promise.all(channels.map((channel) => checkChannel(channel, signal)))).flat();
}

async function checkChannel(
  { name, channel, kind }: ConfiguredChannel,
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const check = `channel ${name}`;
  if (channel.check === undefined) return [ok(check, `${kind}; nothing to check`)];
  try {
    const problems = await channel.check(signal);
    return problems.length === 0
      ? [ok(check, `${kind}; credentials work`)]
      : problems.map((problem) => fail(check, problem));
  } catch (error) {
    return [fail(check, (error as Error).message)];
  }
}

/** A wrong key would otherwise be found by the first customer. */
export async function checkResponder(loaded: Loaded, signal: AbortSignal): Promise<CheckResult> {
  const { kind, origin, vendor } = loaded.responder;
  if (kind === "echo")
    return warn("responder", "echo: it repeats what was said. Set OPENAI_API_KEY or write a lull.config.ts");
  if (vendor === undefined) return ok("responder", `${kind}, from ${origin}; not tried`);
  const url = `${(vendor.baseUrl ?? OPENAI).replace(/\/+$/, "")}/models`;
  try {
    const token = await loaded.secrets.get(vendor.apiKey);
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url, { headers, redirect: "manual", signal });
    await response.body?.cancel();
    if (response.status === 401 || response.status === 403)
      return fail("responder", `OpenAI does not accept the key from ${vendor.keyFrom}`);
    if (response.ok) return ok("responder", "openai; the key works");
    const said = `${new URL(url).host} answered ${response.status} when asked for its models`;
    return warn("responder", `openai; ${said}, so that the key was not tried`);
  } catch (error) {
    if (error instanceof LullError) return fail("responder", error.message);
    return fail("responder", `${new URL(url).host} could not be reached`);
  }
}

const OPENAI = "https://api.openai.com/v1";

/** A provider whose clock ours can be compared with. */
export function providerUrl({ resolved, channels, responder }: Loaded): string | undefined {
  if (channels.some(({ kind }) => kind.startsWith("twilio"))) {
    return String(resolved.get("twilio.apiUrl")?.value ?? "https://api.twilio.com");
  }
  if (resolved.has("wati.apiUrl")) return String(resolved.get("wati.apiUrl")?.value);
  if (responder.kind === "openai") return responder.vendor?.baseUrl ?? OPENAI;
  return undefined;
}
