import { createEdge, type EdgeOptions } from "./http/edge.ts";
import type { Handle } from "./http/edge-request.ts";
import { type CallerInfo, toFetch } from "./http/fetch.ts";
import type { LullConfig } from "./runtime/config.ts";
import { createService } from "./runtime/create-service.ts";
import type { Service } from "./runtime/service.ts";

/** A running product: start it, serve it, or mount its `fetch` in a server of your own. */
export interface Lull extends Service {
  readonly handle: Handle;
  fetch(request: Request, caller?: CallerInfo): Promise<Response>;
}

/**
 * Waits for the lull in a chat, then answers once. Nothing runs until `start()` or `serve()`. With
 * `showsReasons` the phone page tells why there is no answer, as in `lull dev`: not for the public.
 */
export function createLull(config: LullConfig, options: Pick<EdgeOptions, "showsReasons"> = {}): Lull {
  const service = createService(config);
  const handle = createEdge(service, options);
  return { ...service, handle, fetch: toFetch(handle) };
}

export {
  type ChannelEntry,
  defineConfig,
  type LullFile,
  type ProjectEntry,
  type QueueEntry,
  type ResponderEntry,
} from "./config/define-config.ts";
export { ConfigError, InvalidRequest, LullError, StoreUnavailable } from "./errors.ts";
export type { Conversation } from "./model/conversation.ts";
export type { HistoryMessage } from "./model/history.ts";
export type { Log } from "./model/log.ts";
export type { DeliveryStatus, InboundMessage, Media } from "./model/message.ts";
export type { RefusalCode } from "./model/refusal.ts";
export type { FullReply, Reply, Usage } from "./model/reply.ts";
export type {
  Channel,
  ChannelContext,
  HeadRefusal,
  Listed,
  Outgoing,
  Parsed,
  ReceiveSummary,
  ReconcileOutcome,
  ReconcileQuery,
  SendOutcome,
  Verdict,
  WebhookAnswer,
  WebhookHead,
  WebhookRequest,
} from "./ports/channel.ts";
export type { CheckVerdict, Finding } from "./ports/check-result.ts";
export type { Engine, EngineProvider } from "./ports/engine.ts";
export type { Responder, Turn, TurnMessage } from "./ports/responder.ts";
export type { SecretReference, Secrets } from "./ports/secrets.ts";
export type { LimitsConfig, LullConfig, WindowConfig } from "./runtime/config.ts";
export { environmentSecrets } from "./secrets/secrets.ts";
export { type CallerFamily, statusOf } from "./wire/refusal-status.ts";
