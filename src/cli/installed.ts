import { missingPackage } from "../config/missing-package.ts";
import { ConfigError } from "../errors.ts";

/** Loads a part whose packages may be missing, and then names the command that installs them. */
export async function installed<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const missing = missingPackage(error);
    throw missing === undefined ? error : new ConfigError(`${what}: ${missing}`, error);
  }
}
