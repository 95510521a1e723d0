import { BodyAlreadyRead } from "./body-already-read.ts";
import { BodyBytes } from "./body-bytes.ts";
import type { Body, EdgeAnswer, EdgeRequest, Handle } from "./edge-request.ts";
import type { Reading } from "./intake.ts";

/** What a platform may know about the caller. Without this, `/api` needs a token. */
export interface CallerInfo {
  readonly remoteAddress?: string;
}

/** For programs that mount lull in a server of their own: `Request` in, `Response` out. */
export function toFetch(handle: Handle): (request: Request, caller?: CallerInfo) => Promise<Response> {
  return async (request, caller = {}) => {
    return asResponse(request, await handle(edgeRequest(request, caller)));
  };
}

export function asResponse({ method }: Request, { status, headers, body }: EdgeAnswer): Response {
  // Statuses that must not have a body reject even an empty one.
  const bodyless = status === 204 || status === 304 || method === "HEAD";
  return new Response(bodyless ? null : body, { status, headers });
}

export function edgeRequest(request: Request, { remoteAddress }: CallerInfo): EdgeRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    search: url.search,
    get query() {
      return url.searchParams;
    },
    // Some platforms leave `host` out of the headers: the URL was made from it.
    headers: { host: url.host, ...Object.fromEntries(request.headers) },
    remoteAddress,
    body: (bytesMax, reading) => readBody(request, bytesMax, reading),
  };
}

async function readBody(request: Request, bytesMax: number, reading: Reading): Promise<Body> {
  if (request.bodyUsed) throw new BodyAlreadyRead();
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return "too-large";
  const reader = request.body?.getReader();
  reading.begin(() => void reader?.cancel().catch(() => {}));
  try {
    const body = await received(reader, bytesMax, reading);
    return reading.givenUp ?? body;
  } catch {
    return reading.givenUp ?? "gone";
  }
}

async function received(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
  bytesMax: number,
  reading: Reading,
): Promise<Body> {
  const bytes = new BodyBytes(bytesMax);
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (value === undefined || done) {
      reading.whole();
      return bytes.whole();
    }
    const problem = bytes.add(value);
    if (problem !== undefined) {
      // The rest is never read.
      void reader?.cancel().catch(() => {});
      return problem;
    }
    reading.grew(bytes.size, bytes.held);
  }
}
