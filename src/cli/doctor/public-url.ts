import { randomBytes } from "node:crypto";
import type { Loaded } from "../../config/load.ts";
import type { Lull } from "../../index.ts";
import { storeProof } from "../../runtime/proof.ts";
import { maskUrl } from "../../schema/plain-url.ts";
import { placeOf } from "../running-service.ts";
import { askHealth, type Health } from "./ask-health.ts";
import { type CheckResult, skip, warn } from "./check-result.ts";
import { type Asking, OFFLINE } from "./findings.ts";
import { judge } from "./judge-health.ts";

const CHECK = "public URL";

/** Whether the public URL leads to this very service. */
export async function checkPublicUrl(
  { resolved, server, channels, config }: Loaded,
  lull: Pick<Lull, "engine">,
  hasStore: boolean,
  asking: Asking,
): Promise<CheckResult[]> {
  const publicUrl = resolved.get("publicUrl")?.value as string | undefined;
  if (publicUrl === undefined) return [withoutUrl(channels)];
  const shown = maskUrl(publicUrl);
  const plain = publicUrl.startsWith("https://") ? [] : [warn(CHECK, `${shown} is not https`)];
  if (!asking.online) return [...plain, skip(CHECK, `${shown}; ${OFFLINE}`)];
  const nonce = randomBytes(24).toString("base64url");
  // Several machines, or functions, may be one service; and what one process holds alone, no other can open.
  const { hasSharedRows: isShared, forOneProcess } = config(() => {}).engine;
  const [there, here, store] = await Promise.all([
    askHealth(publicUrl, nonce, asking.signal),
    server.port === 0 ? UNASKED : askHealth(placeOf(server), nonce, asking.signal),
    hasStore && !forOneProcess ? ownProof(lull, nonce) : undefined,
  ]);
  return [...plain, judge({ shown, port: server.port, there, here, store, isShared: isShared === true })];
}

const UNASKED: Health = { kind: "error", error: undefined, why: "" };

/** A channel that signs its visitors is served to the world. */
function withoutUrl(channels: Loaded["channels"]): CheckResult {
  const isServed = channels.some(
    ({ channel, origin }) => origin !== "lull dev" && channel.isUnsigned !== true,
  );
  if (!isServed) return skip(CHECK, "none is set (LULL_PUBLIC_URL), and no channel here needs one");
  return warn(
    CHECK,
    "LULL_PUBLIC_URL is not set: no caller outside this machine knows where to call, " +
      "and what a proxy passes on is taken for this machine's own",
  );
}

/** What is wrong with the store, its own check says. */
async function ownProof(lull: Pick<Lull, "engine">, nonce: string): Promise<string | undefined> {
  try {
    return await storeProof(await lull.engine(), nonce);
  } catch {
    return undefined;
  }
}
