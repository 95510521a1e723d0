import { projectOf, ruleInForce } from "../core/projects.ts";
import { InvalidRequest } from "../errors.ts";
import { DEFAULT_PROJECT, type ProjectChange, type ProjectRule } from "../model/project.ts";
import type { Settings } from "../model/settings.ts";
import { list, name, object, optional } from "../schema/schema.ts";
import { checkRequest } from "./check-request.ts";
import { isAll, statusProblem } from "./project-config.ts";
import type { UseCaseContext } from "./use-case.ts";

/** A project as it is now. */
export interface Project extends ProjectRule {
  readonly name: string;
  /** Names of its channels. */
  readonly channels: readonly string[];
  /** What was set while the service ran; absent if the configuration counts. */
  readonly changed?: ProjectChange;
}

/** What an operator does with projects. */
export interface Projects {
  /** Those with channels, and what counts for them now. */
  projects(): Promise<readonly Project[]>;
  /** Counts for all of its conversations, at once (on AWS within a second), until it is reset. */
  changeProject(name: string, change: ProjectChange): Promise<Project | "not-found">;
  /** What is configured counts again. */
  resetProject(name: string): Promise<Project | "not-found">;
}

export const PROJECT_REQUEST = object({
  status: optional(name("`active`, or any other word: then messages are refused with `PROJECT_INACTIVE`.")),
  allowedChannels: optional(list(name(), "Channel types that may be used; `all` alone means all.")),
});

export function projectsOver({ engine, settings }: UseCaseContext): Projects {
  const one = async (project: string): Promise<Project> => {
    const changed = await (await engine()).inspector.projectChange(project);
    return {
      name: project,
      channels: channelsIn(settings, project),
      ...ruleInForce(settings, project, changed),
      ...(changed && { changed }),
    };
  };
  const change = async (project: string, to: ProjectChange | undefined): Promise<Project | "not-found"> => {
    if (!inUse(settings).includes(project)) return "not-found";
    await (await engine()).conversations.changeProject(project, to);
    return one(project);
  };
  return {
    projects: () => Promise.all(inUse(settings).map(one)),
    async changeProject(project, { status, allowedChannels }) {
      const given = { status, allowedChannels: allowedChannels ?? undefined };
      checkRequest(given, PROJECT_REQUEST);
      const why = status === undefined ? undefined : statusProblem(status);
      if (why !== undefined) throw new InvalidRequest(`status ${why}`);
      if (status === undefined && allowedChannels === undefined)
        throw new InvalidRequest("status or allowed channels must be given");
      return change(project, {
        ...(status !== undefined && { status }),
        ...(allowedChannels !== undefined && { allowedChannels: typesOrAll(allowedChannels) }),
      });
    },
    resetProject: (project) => change(project, undefined),
  };
}

function typesOrAll(given: readonly string[] | null): readonly string[] | null {
  return given && isAll(given) ? null : given;
}

/** The default project is one of several only if it has channels. */
function inUse(settings: Settings): string[] {
  const names = Object.keys(settings.projects);
  if (names.length <= 1) return names.length === 0 ? [DEFAULT_PROJECT] : names;
  return names.filter((project) => channelsIn(settings, project).length > 0);
}

function channelsIn(settings: Settings, project: string): string[] {
  return Object.keys(settings.channels).filter((channel) => projectOf(settings, channel) === project);
}
