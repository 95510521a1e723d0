import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, expect, it } from "vitest";
import { ConfigError } from "../errors.ts";
import { listen } from "./listen.ts";

const HOST = "127.0.0.1";
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function open(port: number, host: string): Promise<number> {
  const server = createServer();
  await listen(server, { port, host });
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

it("takes a port that is free", async () => {
  expect(await open(0, HOST)).toBeGreaterThan(0);
});

it("says that a port is in use", async () => {
  const port = await open(0, HOST);
  await expect(open(port, HOST)).rejects.toThrow(
    new ConfigError(`port ${port} is in use; choose another one`),
  );
});

it("says that an address is another machine's", async () => {
  await expect(open(0, "192.0.2.1")).rejects.toThrow(
    new ConfigError("192.0.2.1 is not an address of this machine"),
  );
});

it.each([
  ["EACCES", new ConfigError("port 80 needs rights that this process lacks")],
  ["EMFILE", Object.assign(new Error("EMFILE"), { code: "EMFILE" })],
])("on %s throws what an operator can use", async (code, thrown) => {
  const server = createServer();
  server.listen = () => {
    server.emit("error", Object.assign(new Error(code), { code }));
    return server;
  };
  await expect(listen(server, { port: 80, host: HOST })).rejects.toThrow(thrown);
});
