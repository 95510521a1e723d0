import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import express from "express";
import { fastify } from "fastify";
import { Hono } from "hono";
import { mount as mountInExpress } from "../../src/http/mount/express.ts";
import { mount as mountInFastify } from "../../src/http/mount/fastify.ts";
import { mount as mountInHono } from "../../src/http/mount/hono.ts";
import type { Lull } from "../../src/index.ts";

export interface HostOptions {
  /** Empty: at the root. */
  readonly prefix: string;
  /** Whether the host reads bodies before Lull can. */
  readonly readsBodies?: boolean;
}

export interface Host {
  readonly url: string;
  close(): Promise<void>;
}

const OWN = "the host's own\n";

/** Lull inside real servers, each with a page of its own. */
export const HOSTS: Readonly<Record<string, (lull: Lull, options: HostOptions) => Promise<Host>>> = {
  express: async (lull, { prefix, readsBodies }) => {
    const app = express();
    app.set("trust proxy", true);
    if (readsBodies) app.use(express.json(), express.urlencoded());
    if (prefix === "") app.use(mountInExpress(lull));
    else app.use(prefix, mountInExpress(lull));
    app.use((_request, response) => void response.send(OWN));
    await lull.start();
    return listening(app.listen(0, "127.0.0.1"), () => lull.stop(0));
  },

  fastify: async (lull, { prefix, readsBodies }) => {
    const app = fastify({ trustProxy: true });
    if (readsBodies)
      app.addHook("preParsing", async (request) => {
        for await (const _ of request.raw);
      });
    app.register(mountInFastify(lull), { prefix });
    app.get("/api/counts", async () => OWN);
    app.get("/", async () => OWN);
    const url = await app.listen({ port: 0, host: "127.0.0.1" });
    return { url, close: () => app.close() };
  },

  hono: async (lull, { prefix, readsBodies }) => {
    const app = new Hono();
    if (readsBodies)
      app.use(async (context, next) => {
        await context.req.text();
        await next();
      });
    app.use(mountInHono(lull, { at: prefix }));
    app.all("*", (context) => context.text(OWN));
    await lull.start();
    // The test's own `fetch` goes on with the classes of Node.
    const own = { port: 0, hostname: "127.0.0.1", overrideGlobalObjects: false };
    const server = serve({ fetch: app.fetch, ...own }) as Server;
    return listening(server, () => lull.stop(0));
  },
};

async function listening(server: Server, stop: () => Promise<void>): Promise<Host> {
  if (!server.listening) await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await stop();
    },
  };
}
