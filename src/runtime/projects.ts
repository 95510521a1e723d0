import { projectOf, projectsInUse, ruleInForce } from "../core/projects.ts";
import { InvalidRequest } from "../errors.ts";
import type { ProjectChange, ProjectRule } from "../model/project.ts";
import type { Settings } from "../model/settings.ts";
import { flag, list, name, object, optional } from "../schema/schema.ts";
import { channelTypeProblem } from "./channel-types.ts";
import { checkRequest } from "./check-request.ts";
import { isAll, statusProblem } from "./project-config.ts";
import type { ProjectWatch } from "./project-watch.ts";
import type { UseCaseContext } from "./use-case.ts";

/** A project as it is now. */
export interface Project extends ProjectRule {
  readonly name: string;
  /** Names of its channels. */
  readonly channels: readonly string[];
  /** What was set while the service ran; absent if the configuration counts. */
  readonly changed?: ProjectChange;
  /** Set while its messages are kept and not answered. */
  readonly paused?: true;
}

/** What an operator does with projects. */
export interface Projects {
  /** Those with channels, and what counts for them now. */
  projects(): Promise<readonly Project[]>;
  /** Counts for all of its conversations, at once (on AWS within a second), until it is reset. */
  changeProject(name: string, change: ProjectChange): Promise<Project | "not-found">;
  /** What is configured counts again. A pause stays. */
  resetProject(name: string): Promise<Project | "not-found">;
}

export const PROJECT_REQUEST = object({
  paused: optional(flag("Its messages are kept, and due at once when it goes on.")),
  status: optional(name("`active`, or any other word: then messages are refused with `PROJECT_INACTIVE`.")),
  allowedChannels: optional(list(name(), "Channel types that may be used; `all` alone means all.")),
});

interface ProjectsContext extends UseCaseContext {
  /** Told of what is set here. */
  readonly watch: Pick<ProjectWatch, "changed">;
}

export function projectsOver({ engine, settings, watch }: ProjectsContext): Projects {
  const changes = async () => (await engine()).inspector.projectChanges();
  const one = (project: string, changed: ProjectChange | undefined): Project => ({
    name: project,
    channels: channelsIn(settings, project),
    ...ruleInForce(settings, project, changed),
    ...(changed && { changed }),
    ...(changed?.paused && { paused: true }),
  });
  const change = async (project: string, to: ProjectChange | undefined): Promise<Project | "not-found"> => {
    if (!projectsInUse(settings).includes(project)) return "not-found";
    const before = (await changes()).get(project);
    await (await engine()).conversations.changeProject(project, to);
    const after = (await changes()).get(project);
    watch.changed(project, before, after);
    return one(project, after);
  };
  return {
    async projects() {
      const changed = await changes();
      return projectsInUse(settings).map((project) => one(project, changed.get(project)));
    },
    async changeProject(project, given) {
      return change(project, checked(project, given, settings));
    },
    resetProject: (project) => change(project, undefined),
  };
}

function checked(
  project: string,
  { status, allowedChannels, paused }: ProjectChange,
  settings: Settings,
): ProjectChange {
  checkRequest({ status, allowedChannels: allowedChannels ?? undefined, paused }, PROJECT_REQUEST);
  if (status === undefined && allowedChannels === undefined && paused === undefined)
    throw new InvalidRequest("status, allowed channels or paused must be given");
  const why = status === undefined ? undefined : statusProblem(status, project);
  if (why !== undefined) throw new InvalidRequest(`status ${why}`);
  const types = allowedChannels && typesOrAll(allowedChannels);
  const problem = types && channelTypeProblem(types, settings.channels);
  if (problem) throw new InvalidRequest(`allowed channels: ${problem}`);
  return {
    ...(status !== undefined && { status }),
    ...(types !== undefined && { allowedChannels: types }),
    ...(paused !== undefined && { paused }),
  };
}

function typesOrAll(given: readonly string[] | null): readonly string[] | null {
  return given && isAll(given) ? null : given;
}

function channelsIn(settings: Settings, project: string): string[] {
  return Object.keys(settings.channels).filter((channel) => projectOf(settings, channel) === project);
}
