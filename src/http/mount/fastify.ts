import { answerWith, type HostMessage, HostRequest } from "./host-request.ts";
import { type Mountable, mounted, prefixIn } from "./mounted.ts";

export type { Mountable };

/** What is needed of Fastify. */
export interface FastifyHost {
  readonly prefix: string;
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(type: string, parse: (request: never, payload: never, done: Done) => void): unknown;
  addHook(name: "onReady" | "onClose", hook: () => Promise<void>): unknown;
  all(path: string, handler: (request: FastifyCall, reply: FastifyAnswer) => unknown): unknown;
}
type Done = (error: Error | null, body?: unknown) => void;

interface FastifyCall {
  readonly raw: HostMessage;
  readonly rawBody?: unknown;
}

interface FastifyAnswer {
  readonly raw: Parameters<typeof answerWith>[1];
  hijack(): unknown;
  callNotFound(): unknown;
}

/**
 * Lull as a plugin of Fastify: `app.register(mount(lull), { prefix: "/lull" })`. Without a prefix it takes
 * webhooks alone. It starts with the server and stops with it, and Fastify's parsers leave its bodies alone.
 */
export function mount(lull: Mountable): (app: FastifyHost) => Promise<void> {
  return async (app) => {
    const prefix = prefixIn(app.prefix);
    const ours = mounted(lull, { prefix, atPrefix: "redirect" });
    // Signatures are made over the body as it came: nothing may read it before us.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", (_request, _payload, done) => done(null));
    app.addHook("onReady", () => lull.start());
    app.addHook("onClose", () => lull.stop());
    const paths = prefix === "" ? ["/webhooks/*", ...Object.keys(lull.aliases)] : ["/", "/*"];
    for (const path of paths)
      app.all(path, async (request, reply) => {
        const answering = ours(new HostRequest(withRawBody(request)));
        if (answering === undefined) return reply.callNotFound();
        const answer = await answering;
        reply.hijack();
        answerWith(answer, reply.raw);
      });
  };
}

/** Plugins that keep the body as it came leave it on Fastify's own request. */
function withRawBody({ raw, rawBody }: FastifyCall): HostMessage {
  return rawBody === undefined ? raw : Object.assign(raw, { rawBody });
}
