import { CHOICES } from "../model/settings.ts";
import type { ProjectConfig } from "../runtime/project-config.ts";
import { WINDOW } from "../runtime/window-config.ts";
import { anything, list, oneOf, options, record, text } from "../schema/schema.ts";
import { type SchemaOf, SECRET, TEXT } from "./kinds.ts";

/** What a file may say of a project. Channels, responders and limits are checked where they are made. */
export const PROJECT = options({
  status: text(),
  allowedChannels: list(text()),
  channels: anything(),
  window: WINDOW,
  windows: record(WINDOW),
  respond: {},
  responder: {},
  responders: {},
  handOffTo: {},
  admission: oneOf(...CHOICES.admission),
  whileBusy: oneOf(...CHOICES.whileBusy),
  onUnknown: oneOf(...CHOICES.onUnknown),
  busyText: TEXT,
  failureText: TEXT,
  limits: anything(),
  tokens: options({ api: SECRET, turn: SECRET }),
} satisfies SchemaOf<ProjectConfig & { readonly responder: unknown }>);
