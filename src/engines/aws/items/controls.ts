import { partsSet, projectOf, ruleInForce, soundProjectChange } from "../../../core/projects.ts";
import type { ProjectChange, ProjectChanges, ProjectRule } from "../../../model/project.ts";
import type { AwsContext } from "../context.ts";
import type { Item } from "../dynamo/expression.ts";
import { CONTROLS, conversationKeyOf } from "./keys.ts";

/** Each process reads this one item about once a second: a partition takes 3,000 reads a second. */
const KNOWN_MS = 1_000;

/** Before a project's name. Each part is an attribute: two operators may change two of them at once. */
const PARTS = {
  status: "project-status:",
  allowedChannels: "project-channels:",
  paused: "project-paused:",
} as const;

function namesFor(project: string) {
  return {
    status: PARTS.status + project,
    allowedChannels: PARTS.allowedChannels + project,
    paused: PARTS.paused + project,
  };
}

function projectsIn(item: Item): Set<string> {
  const names = Object.keys(item).flatMap((name) => {
    const part = Object.values(PARTS).find((each) => name.startsWith(each));
    return part === undefined ? [] : [name.slice(part.length)];
  });
  return new Set(names);
}

/**
 * Whether all is paused. "Not paused" counts for a second, so a turn may still begin that long after a pause.
 * "Paused" is read every time: resuming wakes all conversations at once, and none may be told that it is
 * still paused.
 */
export async function isPausedLately(context: AwsContext): Promise<boolean> {
  return (await lately(context)).paused === true && isPaused(context);
}

/** Read consistently. */
export async function isPaused(context: AwsContext): Promise<boolean> {
  return (await read(context)).paused === true;
}

export async function setPaused(context: AwsContext, paused: boolean): Promise<void> {
  await write(context, { paused: paused || undefined });
}

/** What the channel's project allows, as of a second ago. */
export async function projectRule(context: AwsContext, channel: string): Promise<ProjectRule> {
  const project = projectOf(context.settings, channel);
  return ruleInForce(context.settings, project, changeIn(context, await lately(context), project));
}

/**
 * The project of these messages, if it was paused a second ago. What is put off for it asks once more
 * (`projectChange`), once its window stands: resuming wakes the windows that it finds.
 */
export async function pausedProjectLately(
  context: AwsContext,
  channel: string | undefined,
): Promise<string | undefined> {
  if (channel === undefined) return undefined;
  const project = projectOf(context.settings, channel);
  return changeIn(context, await lately(context), project)?.paused ? project : undefined;
}

/** Read consistently. */
export async function projectChange(
  context: AwsContext,
  project: string,
): Promise<ProjectChange | undefined> {
  return changeIn(context, await read(context), project);
}

/** Read consistently. All of them are in one item. */
export async function projectChanges(context: AwsContext): Promise<ProjectChanges> {
  const item = await read(context);
  const changes = new Map<string, ProjectChange>();
  for (const project of projectsIn(item)) {
    const change = changeIn(context, item, project);
    if (change) changes.set(project, change);
  }
  return changes;
}

export async function setProject(
  context: AwsContext,
  project: string,
  change: ProjectChange | undefined,
): Promise<void> {
  const names = namesFor(project);
  const parts = Object.entries(partsSet(change)) as [keyof ProjectChange, unknown][];
  if (parts.length > 0)
    await write(context, Object.fromEntries(parts.map(([part, value]) => [names[part], value])));
}

/** An attribute that is not ours counts as absent, and is told; the others count. */
function changeIn(context: AwsContext, item: Item, project: string): ProjectChange | undefined {
  const names = namesFor(project);
  const stored = Object.entries(names).map(([part, name]) => [part, item[name]]);
  const { change, foreign } = soundProjectChange(Object.fromEntries(stored));
  if (foreign !== undefined) {
    const place = { ...conversationKeyOf(CONTROLS), item_id: project };
    context.quarantine.soundOne("state", place, () => ({ kind: "foreign", why: foreign }));
  }
  return change;
}

function lately(context: AwsContext): Promise<Item> {
  const { controls, clock } = context;
  const isKnown = controls.seen && Math.abs(clock.nowMs() - controls.seen.atMs) < KNOWN_MS;
  return isKnown ? controls.seen!.item : read(context);
}

/** All callers that ask meanwhile are given the same answer; a failure is not kept. */
function read(context: AwsContext): Promise<Item> {
  const { controls, clock, store } = context;
  const item = store.get("state", conversationKeyOf(CONTROLS)).then((found) => found ?? {});
  const seen = { atMs: clock.nowMs(), item };
  controls.seen = seen;
  item.catch(() => {
    if (controls.seen === seen) controls.seen = undefined;
  });
  return item;
}

/** In this process it counts at once. */
async function write(context: AwsContext, set: Item): Promise<void> {
  await context.store.update("state", conversationKeyOf(CONTROLS), { set });
  context.controls.seen = undefined;
}
