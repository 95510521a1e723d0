import type { Loaded } from "../../config/load.ts";
import type { Setting } from "../../config/resolve-settings.ts";
import { shownSecret } from "../../config/said.ts";
import type { SecretReference } from "../../ports/secrets.ts";
import { ALIASES, type Aliases, aliasesAsText } from "../../schema/aliases.ts";
import { maskUrl } from "../../schema/plain-url.ts";
import type { Command } from "../command.ts";
import { tableHeads } from "../output/colour.ts";
import { table } from "../output/table.ts";

export const config: Command = {
  about: "Prints every setting that is in force and where it came from. Secrets are masked.",
  options: { set: { type: "boolean", help: "only what was set, without the defaults" } },
  settings: "all",
  examples: ["lull config --set", "LULL_WINDOW_SECONDS=4 lull config --json"],
  run: async (call) => {
    const loaded = await call.load("look");
    const settings = [...loaded.resolved.values()].filter(
      ({ origin }) => call.options.set !== true || origin !== "default",
    );
    for (const sentence of loaded.misspelt) call.io.err(`${sentence}\n`);
    if (call.json) call.io.out(asJson(loaded, settings));
    else call.io.out(asTable(loaded, settings), tableHeads);
    return 0;
  },
};

function asJson(loaded: Loaded, settings: readonly Setting[]): string {
  const values = settings.map((setting) => [
    setting.knob.key,
    { value: shown(setting), from: setting.origin },
  ]);
  const said = loaded.said.map(({ key, value, origin: from }) => [key, { value, from }]);
  const channels = loaded.channels.map(({ name, kind, addresses, origin, project }) => [
    name,
    { kind, addresses, from: origin, ...(project && { project }) },
  ]);
  const { kind, origin } = loaded.responder;
  return JSON.stringify(
    {
      file: loaded.file?.path ?? null,
      values: Object.fromEntries([...values, ...said]),
      channels: Object.fromEntries(channels),
      responder: { kind, from: origin },
    },
    null,
    2,
  );
}

function asTable(loaded: Loaded, settings: readonly Setting[]): string {
  const rows = settings.map((setting) => [setting.knob.key, String(shown(setting)), setting.origin]);
  const channels = loaded.channels.map(({ name, kind, addresses, origin, project }) => [
    `${project ? `projects.${project}.` : ""}channels.${name}`,
    [kind, ...addresses].join(" "),
    origin,
  ]);
  const { kind, origin } = loaded.responder;
  const said = loaded.said.map(({ key, value, origin: from }) => [key, String(value), from]);
  return table(["setting", "value", "from"], [...rows, ["responder", kind, origin], ...channels, ...said]);
}

function shown({ knob, value }: Setting): unknown {
  if (knob.kind.type === "url") return maskUrl(String(value));
  if (knob.kind === ALIASES) return aliasesAsText(value as Aliases);
  return knob.kind.type === "secret" ? shownSecret(value as SecretReference) : value;
}
