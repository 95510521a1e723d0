import { LullError } from "../errors.ts";
import type { ChannelContext, WebhookRequest } from "../ports/channel.ts";

/** 2026-11-15T05:00:00.250Z, a moment within a second. */
export const TEST_NOW_MS = 1_794_718_800_250;

/**
 * What a runtime hands to a channel, with secrets that are written out. A reference by name is a secret that
 * cannot be read.
 */
export function testContext(given: Partial<ChannelContext> = {}): ChannelContext {
  return {
    name: "test",
    nowMs: () => TEST_NOW_MS,
    secrets: {
      async get(reference) {
        if (typeof reference === "string") return reference;
        const value = "env" in reference ? process.env[reference.env] : undefined;
        if (value !== undefined) return value;
        throw new LullError(`secret ${JSON.stringify(reference)} is not set`, {
          code: "SECRET_MISSING",
          retry: "never",
        });
      },
    },
    ...given,
  };
}

/** A POST as an edge hands it over: header names in lower case, the body raw. */
export function testRequest(
  url: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): WebhookRequest {
  return { method: "POST", url, headers, body: Buffer.from(body) };
}
