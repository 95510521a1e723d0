import type { ListenOptions, Server } from "node:net";
import { ConfigError } from "../errors.ts";

type Where = ListenOptions & { readonly port: number; readonly host: string };

/** What an operator has to change comes as a `ConfigError`. */
export function listen(server: Server, where: Where): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const why = whyNot(error, where);
      reject(why === undefined ? error : new ConfigError(why, error));
    });
    server.listen(where, resolve);
  });
}

function whyNot({ code }: NodeJS.ErrnoException, { port, host }: Where): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `port ${port} is in use; choose another one`;
    case "EACCES":
      return `port ${port} needs rights that this process lacks`;
    case "EADDRNOTAVAIL":
      return `${host} is not an address of this machine`;
    default:
      return undefined;
  }
}
