import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { ConfigError } from "../../errors.ts";

/**
 * Whether the port is free, before four workers find out one after the other. Port 0 becomes a real one here,
 * because workers have to agree on it, including those started later.
 */
export function probePort(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => reject(explained(error, port, host)));
    server.listen({ port, host, exclusive: true }, () => {
      const { port: chosen } = server.address() as AddressInfo;
      server.close(() => resolve(chosen));
    });
  });
}

function explained(error: NodeJS.ErrnoException, port: number, host: string): Error {
  if (error.code === "EADDRINUSE")
    return new ConfigError(`port ${port} is in use; choose another one`, error);
  if (error.code === "EACCES")
    return new ConfigError(`port ${port} needs rights that this process lacks`, error);
  if (error.code === "EADDRNOTAVAIL")
    return new ConfigError(`${host} is not an address of this machine`, error);
  return error;
}
