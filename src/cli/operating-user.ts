import { userInfo } from "node:os";

/** Who runs the command, for the log. In a container a user may have an id and no name. */
export function operatingUser(lookUp: () => { readonly username: string } = userInfo): string {
  try {
    return lookUp().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
