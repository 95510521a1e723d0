import type { Settings } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Engine } from "../ports/engine.ts";

/** What every use case stands on, whoever asks for it: the API, a command, a program. */
export interface UseCaseContext {
  readonly settings: Settings;
  readonly channels: Readonly<Record<string, Channel>>;
  /** Opened on first use. */
  engine(): Promise<Engine>;
}
