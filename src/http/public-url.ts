import type { EdgeRequest } from "./edge-request.ts";

/**
 * The URL as the caller saw it. Signatures cover it, and behind a proxy only the public URL tells what it
 * was.
 */
export function createUrl(publicUrl: string | undefined): (request: EdgeRequest) => string {
  const known = publicUrl?.replace(/\/+$/, "");
  return ({ base, headers, path, search }) =>
    `${known ?? base ?? `http://${headers.host ?? "localhost"}`}${path}${search}`;
}
