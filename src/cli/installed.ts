import { missingPackage } from "../config/missing-package.ts";
import { ConfigError } from "../errors.ts";

/** Loads something whose packages not everybody has; what is missing is said with the command that brings it. */
export async function installed<T>(what: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const missing = missingPackage(error);
    throw missing === undefined ? error : new ConfigError(`${what}: ${missing}`, error);
  }
}
