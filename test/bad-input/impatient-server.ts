import { web } from "../../src/channels/web/index.ts";
import { memory } from "../../src/engines/memory/index.ts";
import { serve } from "../../src/http/node.ts";
import { createLull } from "../../src/index.ts";
import { echo } from "../../src/responders/echo/index.ts";

/** The real server in a process of its own, with times so short that no test has to wait for them. */
const lull = createLull({
  engine: memory(),
  channels: { web: web() },
  respond: echo(),
  window: { seconds: 600 },
});
const { url } = await serve(lull, {
  port: 0,
  host: "127.0.0.1",
  timeouts: { headersMs: 300, requestMs: 600, keepAliveMs: 300, checkMs: 50 },
});
console.log(`lull listening on ${url}`);

/** Asked for over stdin: HTTP would be part of what is measured. */
process.stdin.on("data", () => {
  globalThis.gc?.();
  console.log(`heap ${process.memoryUsage().heapUsed} bytes`);
});
