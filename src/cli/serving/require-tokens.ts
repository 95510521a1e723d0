import { ConfigError } from "../../errors.ts";
import type { Service } from "../../runtime/service.ts";
import { checkApi } from "../doctor/api.ts";

/**
 * A token that can be guessed stops the start. A missing token turns off the API, or all of it but turns, and
 * that is logged.
 */
export async function requireTokens(service: Service): Promise<void> {
  for (const { verdict, detail } of await checkApi(service)) {
    if (verdict === "fail") throw new ConfigError(detail);
    if (verdict === "warn") service.log("warn", "api.off", { detail });
  }
}
