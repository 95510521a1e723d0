import type { Body, EdgeRequest, Handle } from "./edge.ts";

/** What a platform may know about the caller. Without it, `/api` needs a token. */
export interface CallerInfo {
  readonly remoteAddress?: string;
}

/** For those who mount lull in a server of their own: `Request` in, `Response` out. */
export function toFetch(handle: Handle): (request: Request, caller?: CallerInfo) => Promise<Response> {
  return async (request, caller = {}) => {
    const { status, headers, body } = await handle(edgeRequest(request, caller));
    // Statuses that must not have a body reject even an empty one.
    const bodyless = status === 204 || status === 304 || request.method === "HEAD";
    return new Response(bodyless ? null : body, { status, headers });
  };
}

function edgeRequest(request: Request, { remoteAddress }: CallerInfo): EdgeRequest {
  const url = new URL(request.url);
  return {
    method: request.method,
    path: url.pathname,
    search: url.search,
    query: url.searchParams,
    // Some platforms leave `host` out of the headers: the URL was made from it.
    headers: { host: url.host, ...Object.fromEntries(request.headers) },
    remoteAddress,
    body: (bytesMax) => readBody(request, bytesMax),
  };
}

async function readBody(request: Request, bytesMax: number): Promise<Body> {
  if (Number(request.headers.get("content-length") ?? 0) > bytesMax) return "too-large";
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      // Leaving the loop cancels the stream: the rest is never read.
      if (size > bytesMax) return "too-large";
      chunks.push(chunk);
    }
  } catch {
    return "gone";
  }
  return Buffer.concat(chunks);
}
