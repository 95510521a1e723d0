import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";

/** Below what Linux and macOS give to whoever asks for any port: no other test takes it meanwhile. */
const FROM = 20_000;
const TO = 32_000;

/** For a program that cannot be asked which port it was given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FROM, TO);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  const isTaken = await once(server, "listening").then(
    () => false,
    () => true,
  );
  if (isTaken) return false;
  server.close();
  await once(server, "close");
  return true;
}
