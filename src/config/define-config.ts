import type { TwilioOptions } from "../channels/twilio/index.ts";
import type { WatiOptions } from "../channels/wati/index.ts";
import type { WebOptions } from "../channels/web/index.ts";
import type { LogFormat, LogLevel } from "../model/log.ts";
import type { Channel } from "../ports/channel.ts";
import type { EngineProvider } from "../ports/engine.ts";
import type { Responder } from "../ports/responder.ts";
import type { HttpOptions } from "../responders/http/index.ts";
import type { OpenAiOptions } from "../responders/openai/index.ts";
import type { LullConfig } from "../runtime/config.ts";
import type { ProjectConfig } from "../runtime/project-config.ts";

/** A channel made by code, or what data says of it: `{ twilio: "whatsapp", from: "+15550100" }`. */
export type ChannelEntry =
  | Channel
  | ({ readonly twilio: "whatsapp" | "sms" | true } & TwilioOptions)
  | ({ readonly wati: "whatsapp" | true } & Partial<WatiOptions>)
  | ({ readonly web: "page" | true } & WebOptions);

/** Who answers: a function, or what `lull.config.json` says: `{ openai: { model: "gpt-6-luna" } }`. */
export type ResponderEntry =
  | Responder
  | "echo"
  | "openai"
  | { readonly echo: Readonly<Record<never, never>> }
  | { readonly openai: Omit<OpenAiOptions, "secrets" | "tools"> }
  | { readonly http: Omit<HttpOptions, "secrets"> }
  | { readonly queue: QueueEntry };

/** The queue that turns are handed to. */
export interface QueueEntry {
  /** The queue's URL, as SQS shows it. */
  readonly url: string;
  /** Who reads the queue answers through the API, within this many seconds. Default: nothing is replied. */
  readonly answerWithinSeconds?: number;
  /** How many earlier messages go along. Default: `limits.historyMessagesMax`. */
  readonly historyMessagesMax?: number;
  /** The queue's region. Default: what its URL says. */
  readonly region?: string;
  /** Where SQS is, if it is not AWS's own: an emulator's URL. */
  readonly endpoint?: string;
}

/** Channels and who answers, of the service or of one project. */
interface AnsweringEntries {
  /**
   * By name; the name is in the webhook's path: `POST /webhooks/<name>`. No two channels have one name, in
   * whatever project.
   */
  readonly channels?: Readonly<Record<string, ChannelEntry>>;
  /** Who answers. Default: OpenAI if `OPENAI_API_KEY` is set, else the echo. */
  readonly respond?: ResponderEntry;
  /** The same as `respond`, the name in `lull.config.json`: say one of the two. */
  readonly responder?: ResponderEntry;
  /** Other responders for some channels, by channel name. */
  readonly responders?: Readonly<Record<string, ResponderEntry>>;
  /** Gets the turns of a conversation that a human has taken over. What it returns is not sent. */
  readonly handOffTo?: ResponderEntry;
}

/** How `lull start` and `lull dev` run: a server of your own that calls `createLull` says this itself. */
interface ServerEntries {
  /** Port to listen on, 0 to 65535. Default 8080; 0 takes a free one. Variable `PORT`. */
  readonly port?: number;
  /** Address to listen on. Default `127.0.0.1`; `0.0.0.0` for all. Variable `LULL_HOST`. */
  readonly host?: string;
  /**
   * Where everything durable is: `sqlite`, a file on this machine, or `aws`, DynamoDB and SQS; or an engine
   * made by code, as `sqlite({ file })`. Default `sqlite`. Variable `LULL_ENGINE`.
   */
  readonly engine?: "sqlite" | "aws" | EngineProvider;
  /** The file of `sqlite`, from this file's folder on. Default `data/lull.db`. Variable `LULL_DB`. */
  readonly db?: string;
  /** Worker processes, 1 to 256. Default 1. Variable `LULL_WORKERS`. */
  readonly workers?: number;
  /**
   * Seconds that running turns may take to finish when the service stops. Default 25. Variable
   * `LULL_STOP_GRACE_SECONDS`.
   */
  readonly stopGraceSeconds?: number;
  /**
   * A process whose event loop stands still for so many seconds is ended, and replaced under `lull start`.
   * Default 10; 0: never. Variable `LULL_HUNG_SECONDS`.
   */
  readonly hungSeconds?: number;
  /** What is logged: this level and what is worse. Default `info`. Variable `LULL_LOG_LEVEL`. */
  readonly logLevel?: LogLevel;
  /**
   * How the log is written: `pretty` for a person, `json` for a program, one object a line. Default: `pretty`
   * on a terminal, `json` elsewhere. Variable `LULL_LOG_FORMAT`.
   */
  readonly logFormat?: LogFormat;
  /** The phone page at `/` and its channel `web`. Default: on in `lull dev` only. Variable `LULL_WEB`. */
  readonly web?: boolean;
}

/** One project (tenant) of several. What it leaves out is as for all. */
export interface ProjectEntry extends Omit<ProjectConfig, keyof AnsweringEntries>, AnsweringEntries {}

type Answering = keyof AnsweringEntries;

/** What `lull.config.ts` may say. The environment and flags count over it. */
export interface LullFile
  extends Omit<Partial<LullConfig>, Answering | "engine" | "projects" | "workerId" | "partOf">,
    AnsweringEntries,
    ServerEntries {
  /** Several projects (tenants), by name: each with its channels, and with what differs for it. */
  readonly projects?: Readonly<Record<string, ProjectEntry>>;
}

/** For `lull.config.ts`: gives the editor the types, changes nothing. */
export function defineConfig(config: LullFile): LullFile {
  return config;
}
