import { ConfigError } from "../../errors.ts";
import type { Service } from "../../runtime/service.ts";
import { checkApi } from "../doctor/api.ts";

/** A token that can be guessed stops the start; that the API, or all of it but turns, is off because there is none is told. */
export async function requireTokens(service: Service): Promise<void> {
  for (const { verdict, detail } of await checkApi(service)) {
    if (verdict === "fail") throw new ConfigError(detail);
    if (verdict === "warn") service.log("warn", "api.off", { detail });
  }
}
