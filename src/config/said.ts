import type { SecretReference } from "../ports/secrets.ts";
import { isObject } from "../schema/is-object.ts";
import type { ConfigFile } from "./file.ts";

type Options = Readonly<Record<string, unknown>>;

/** What a file says that is no knob, as a person may see it. */
export interface Said {
  /** Its path in the file. */
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}

export const MASK = "********";

/** Of the service and of each project: windows, who answers, rules, limits. It was checked before. */
export function saidIn(file: ConfigFile | undefined): Said[] {
  if (file === undefined) return [];
  const { windows, project, responders, handOffTo, projects } = file.content;
  const forAll = answeringIn({ windows, responders, handOffTo });
  const ofProjects = entriesIn(projects).flatMap(([name, given]) =>
    under(`projects.${name}`, projectIn(given as Options)),
  );
  const all = [...forAll, ...under("project", leavesIn(project)), ...ofProjects];
  return all.map(([key, value]) => ({ key, value, origin: file.name }));
}

type Row = readonly [key: string, value: unknown];

function projectIn(given: Options): Row[] {
  const {
    channels: _,
    window,
    windows,
    limits,
    tokens,
    respond,
    responder,
    responders,
    handOffTo,
    ...plain
  } = given;
  return [
    ...leavesIn(plain),
    ...under("window", leavesIn(window)),
    ...under("limits", leavesIn(limits)),
    ...answeringIn({ windows, responder: respond ?? responder, responders, handOffTo }),
    ...entriesIn(tokens).map(
      ([name, token]): Row => [`tokens.${name}`, shownSecret(token as SecretReference)],
    ),
  ];
}

function answeringIn({ windows, responder, responders, handOffTo }: Options): Row[] {
  const who = [
    ["responder", responder],
    ["handOffTo", handOffTo],
  ] as const;
  return [
    ...entriesIn(windows).flatMap(([name, window]) => under(`windows.${name}`, leavesIn(window))),
    ...who.flatMap(([key, given]) => (given === undefined ? [] : [[key, kindOf(given)] as const])),
    ...under(
      "responders",
      entriesIn(responders).map(([name, given]): Row => [name, kindOf(given)]),
    ),
  ];
}

/** Its name alone: its options may hold secrets. */
function kindOf(responder: unknown): string {
  if (typeof responder === "string") return responder;
  return isObject(responder) ? (Object.keys(responder)[0] ?? "") : "code";
}

/** Where a secret is kept is no secret, and helps when it is wrong. */
export function shownSecret(value: SecretReference): string {
  return typeof value === "object" ? JSON.stringify(value) : MASK;
}

function leavesIn(given: unknown): Row[] {
  return entriesIn(given).map(([key, value]) => [key, Array.isArray(value) ? value.join(", ") : value]);
}

function entriesIn(given: unknown): [string, unknown][] {
  return isObject(given) ? Object.entries(given) : [];
}

function under(key: string, rows: readonly Row[]): Row[] {
  return rows.map(([name, value]) => [`${key}.${name}`, value]);
}
