import { type AddressInfo, createServer } from "node:net";
import { listen } from "../../http/listen.ts";

/**
 * Whether the port is free, before four workers find out one after the other. Port 0 becomes a real one here,
 * because workers have to agree on it, including those started later.
 */
export async function probePort(port: number, host: string): Promise<number> {
  const server = createServer();
  await listen(server, { port, host, exclusive: true });
  const { port: chosen } = server.address() as AddressInfo;
  return new Promise((resolve) => server.close(() => resolve(chosen)));
}
