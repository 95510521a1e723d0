import { ConfigError } from "../../errors.ts";
import type { Service } from "../../runtime/service.ts";
import { checkApi } from "../doctor/api.ts";

/**
 * A token that can be guessed or cannot be read stops the start, and so does one that opens two doors. A
 * project's own is that project's alone: it lets in no caller until it is mended. A missing token turns off
 * the API, or all of it but turns, and that is logged.
 */
export async function requireTokens(service: Service): Promise<void> {
  for (const { verdict, detail, token } of await checkApi(service)) {
    if (verdict === "warn") service.log("warn", "api.off", { detail });
    if (verdict !== "fail") continue;
    if (token === undefined) throw new ConfigError(detail);
    service.sampled.note("error", "config.failed", { secret: token, reason: detail });
  }
}
