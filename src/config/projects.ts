import { ConfigError } from "../errors.ts";
import type { ProjectConfig } from "../runtime/project-config.ts";
import { isObject } from "../schema/is-object.ts";
import type { OwnResponders } from "./asked-responders.ts";
import { type ConfiguredChannel, channelsIn } from "./channels.ts";
import { checkOptions } from "./file-keys.ts";
import { PROJECT } from "./project-options.ts";
import { answering, handOffFrom, type Means, responderOf, respondersFrom } from "./responder.ts";

type Options = Readonly<Record<string, unknown>>;
type File = { readonly name: string; readonly content: Options } | undefined;

export interface ConfiguredProjects {
  readonly projects: Readonly<Record<string, ProjectConfig>>;
  /** Those of all projects, each with its project's name. */
  readonly channels: readonly ConfiguredChannel[];
  /** Who is asked for answers within each, by the name of the project. */
  readonly asked: Readonly<Record<string, OwnResponders>>;
}

/** The projects of a file. Their responders count over the environment: that is one for all. */
export async function projectsFrom(file: File, means: Means): Promise<ConfiguredProjects> {
  const given = file?.content.projects ?? {};
  if (!isObject(given))
    throw new ConfigError(`${file?.name}: projects must be an object: names and projects`);
  const each = await Promise.all(
    Object.entries(given).map(async ([name, content]) => {
      const where = `projects.${name}`;
      checkOptions(content, PROJECT, file?.name ?? "", where);
      return [name, await projectFrom(where, content as Options, file, means)] as const;
    }),
  );
  return {
    projects: Object.fromEntries(each.map(([name, { project }]) => [name, project])),
    asked: Object.fromEntries(each.map(([name, { asked }]) => [name, asked])),
    channels: each.flatMap(([name, { channels }]) =>
      channels.map((channel) => ({ ...channel, project: name })),
    ),
  };
}

async function projectFrom(where: string, content: Options, file: File, given: Means) {
  const means = { ...given, isProject: true, where: `${where}.` };
  const own = { name: file?.name ?? "", content };
  const channels = channelsIn(own, means.resolved, where);
  const { responder: _, channels: __, responders: ___, handOffTo: ____, ...rest } = content;
  const respond = await responderOf(own, means);
  const responders = await respondersFrom(
    own,
    means,
    channels.map(({ name }) => name),
  );
  const handOff = await handOffFrom(own, means);
  const project = {
    ...rest,
    channels: Object.fromEntries(channels.map(({ name, channel }) => [name, channel])),
    ...(respond && { respond: respond.respond }),
    ...answering(responders, handOff),
  } as ProjectConfig;
  return { project, channels, asked: { responder: respond, responders, handOff } };
}
