import type { Secrets } from "../ports/secrets.ts";
import { installed } from "./installed.ts";

/** Loaded when a secret is given by its name. */
export function namedSecrets(): Promise<Secrets> {
  const load = async () => (await import("../secrets/manager/index.ts")).secretsManager();
  return installed("named secrets", load);
}
