import type { Choices, PROJECT_CHOICES } from "../model/settings.ts";
import type { Channel } from "../ports/channel.ts";
import type { Responder } from "../ports/responder.ts";
import type { WindowConfig } from "./window-config.ts";

/** Channels and how they are answered: those of the whole service, or of one project. */
export interface AnsweringConfig extends Partial<Pick<Choices, (typeof PROJECT_CHOICES)[number]>> {
  /**
   * By name; the name is in the webhook's path: `POST /webhooks/<name>`. No two channels have one name, in
   * whatever project.
   */
  readonly channels: Readonly<Record<string, Channel>>;
  /** How long messages gather. Default `{ seconds: 10 }`. */
  readonly window?: WindowConfig;
  /** Other windows for some channels, by channel name. */
  readonly windows?: Readonly<Record<string, WindowConfig>>;
  /** Who answers. A message to a channel that has no responder is refused with `ROUTE_NOT_FOUND`. */
  readonly respond?: Responder;
  /** Other responders for some channels, by channel name. */
  readonly responders?: Readonly<Record<string, Responder>>;
  /** Gets the turns of a conversation that a human has taken over. What it returns is not sent. */
  readonly handOffTo?: Responder;
  /** What a customer is told whose message is turned away: too much waits, or `whileBusy: "reject"`. */
  readonly busyText?: string;
  /**
   * What a customer is told, once, whose answer is late (`limits.failureTextAfterSeconds`) because the
   * responder fails, or will not come. Default: nothing is said.
   */
  readonly failureText?: string;
}
