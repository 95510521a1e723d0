import { isObject } from "../schema/is-object.ts";
import { either, options, record, type Schema } from "../schema/schema.ts";
import { CHANNEL_OPTIONS } from "./channel-options.ts";
import { FILE } from "./file-keys.ts";
import { PROJECT } from "./project-options.ts";
import { RESPONDER_OPTIONS } from "./responder-options.ts";

/** A value in what a file holds, and the keys that lead to it. */
export interface Place {
  readonly keys: readonly string[];
  readonly value: unknown;
}

/** Every value that stands where a secret may be told or named. */
export function secretPlaces(content: unknown): Place[] {
  return placesIn({ keys: [], value: content }, wholeFile(), ({ type }) => type === "secret");
}

/** The options of every queue that turns are handed to. */
export function queuePlaces(content: unknown): Place[] {
  return placesIn({ keys: [], value: content }, wholeFile(), (schema) => schema === RESPONDER_OPTIONS.queue);
}

/** The names of keys in AWS Secrets Manager that records may choose from. */
export function keyNamePlaces(content: unknown): Place[] {
  const { apiKeys } = RESPONDER_OPTIONS.openai!.properties!;
  const places = placesIn({ keys: [], value: content }, wholeFile(), (schema) => schema === apiKeys);
  return places.flatMap(({ keys, value }) =>
    Array.isArray(value) ? value.map((name: unknown) => ({ keys, value: name })) : [],
  );
}

/** With channels, responders and projects in their places, which are checked where they are made. */
function wholeFile(): Schema {
  const responder = options(RESPONDER_OPTIONS);
  const made = {
    channels: record(either(...Object.values<Schema>(CHANNEL_OPTIONS))),
    respond: responder,
    responder,
    responders: record(responder),
    handOffTo: responder,
  };
  const project = options({ ...PROJECT.properties, ...made });
  return options({ ...FILE.properties, ...made, projects: record(project) });
}

function placesIn(place: Place, schema: Schema, isWanted: (schema: Schema) => boolean): Place[] {
  const { keys, value } = place;
  if (isWanted(schema)) return [place];
  if ("anyOf" in schema) return (schema.anyOf ?? []).flatMap((each) => placesIn(place, each, isWanted));
  if (schema.type !== "object" || !isObject(value)) return [];
  const { properties = {}, additionalProperties: others } = schema;
  return Object.entries(value).flatMap(([key, each]) => {
    const inner = Object.hasOwn(properties, key) ? properties[key] : others;
    return inner && each !== undefined
      ? placesIn({ keys: [...keys, key], value: each }, inner, isWanted)
      : [];
  });
}
