import type { ConfiguredChannel } from "../../config/channels.ts";
import type { Loaded } from "../../config/load.ts";
import type { Aliases } from "../../schema/aliases.ts";
import { maskUrl } from "../../schema/plain-url.ts";

/** Without it Twilio retries only connection failures: a 503 in a bad moment would lose the message. */
const TWILIO_RETRY = "#rc=3&rp=all";

/** Where webhooks come in. */
export interface Webhooks {
  /** Shown to people: without what opens a door. */
  readonly base: string;
  readonly paths: readonly (readonly [path: string, channel: string])[];
}

export function webhooksOf({ resolved, server }: Pick<Loaded, "resolved" | "server">): Webhooks {
  const publicUrl = resolved.get("publicUrl")?.value as string | undefined;
  const base = publicUrl === undefined ? `http://${server.host}:${server.port}` : maskUrl(publicUrl);
  const paths = Object.entries((resolved.get("aliases")?.value ?? {}) as Aliases);
  return { base: base.replace(/\/+$/, ""), paths };
}

/** The URL to enter at a channel's provider. */
export function toEnter({ name, channel, kind }: ConfiguredChannel, { base, paths }: Webhooks): string {
  const url = `${base}/webhooks/${name}`;
  // The name that the bots' URLs have for it.
  const passkey = kind === "wati" ? "?passkey=<WATI_WEBHOOK_SECRET>" : "";
  const others = paths.filter(([, of]) => of === name).map(([path]) => `; also at ${base}${path}${passkey}`);
  // Only Twilio takes TwiML, so only a Twilio channel can put the busy text into its answer.
  if (channel.busyTextInAnswer) return `enter at Twilio: ${url}${TWILIO_RETRY}${others.join("")}`;
  if (kind === "wati") return `enter at WATI: ${url}?secret=<WATI_WEBHOOK_SECRET>${others.join("")}`;
  return `POST ${url}${others.join("")}`;
}
