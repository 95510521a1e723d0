import type { Settings } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Engine, OperatedEngine } from "../ports/engine.ts";

/** What every use case needs, whether the API, a command or a program asks for it. */
export interface UseCaseContext {
  readonly settings: Settings;
  readonly channels: Readonly<Record<string, Channel>>;
  /** Opened on first use. */
  engine(): Promise<OperatedEngine>;
}

/** The same with all of the engine, where nobody acts for one project. */
export interface WholeContext extends UseCaseContext {
  engine(): Promise<Engine>;
}
