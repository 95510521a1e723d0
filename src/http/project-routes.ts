import { PROJECT_REQUEST, type Project } from "../runtime/projects.ts";
import { component, flag, list, object, optional, options, text } from "../schema/schema.ts";
import { ERROR } from "./api-schemas.ts";
import { missing, ok, type Route, route } from "./route.ts";

const PROJECT = component(
  "Project",
  object({
    name: text(),
    channels: list(text(), "Names of its channels."),
    status: text("`active`, or messages are refused."),
    allowedChannels: optional(list(text(), "Channel types; absent means all.")),
    paused: optional(flag("Its messages are kept, and not answered.")),
    changed: optional(
      options(
        {
          status: text(),
          allowedChannels: list(text(), "Channel types; `all` alone means all."),
          paused: flag(),
        },
        "What was set while the service ran; absent if the configuration counts.",
      ),
    ),
  }),
);

const CHANGED = {
  200: { description: "The project", schema: PROJECT },
  404: { description: "No such project", schema: ERROR },
};

/** "All" is told as a list that holds nothing else, as it is said. */
function shown({ changed, ...project }: Project) {
  const { status, allowedChannels, paused } = changed ?? {};
  return {
    ...project,
    ...(changed && {
      changed: {
        ...(status !== undefined && { status }),
        ...(allowedChannels !== undefined && { allowedChannels: allowedChannels ?? ["all"] }),
        ...(paused !== undefined && { paused }),
      },
    }),
  };
}

function found(project: Project | "not-found") {
  return project === "not-found" ? missing("project") : ok(shown(project));
}

/** Whose customers are answered: for all conversations of a project, those that exist included. */
export const PROJECT_ROUTES: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/projects",
    operation: "listProjects",
    summary: "Projects, and what counts for their conversations now",
    answers: { 200: { description: "All of them", schema: object({ items: list(PROJECT) }) } },
    run: async ({ service }) => ok({ items: (await service.projects()).map(shown) }),
  }),
  route({
    method: "POST",
    path: "/api/projects/{id}",
    operation: "changeProject",
    summary: "Sets what counts for all conversations of a project, until it is reset",
    body: PROJECT_REQUEST,
    answers: CHANGED,
    run: async ({ service, id, body }) => found(await service.changeProject(id, body)),
  }),
  route({
    method: "POST",
    path: "/api/projects/{id}/reset",
    operation: "resetProject",
    summary: "What is configured counts again",
    body: object({}),
    answers: CHANGED,
    run: async ({ service, id }) => found(await service.resetProject(id)),
  }),
];
