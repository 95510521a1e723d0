import { withoutComments } from "./comments.ts";

const MEMBERS_MAX = 12;
/** A setting each, in a flat list: how a person writes them. */
const SETTINGS = new Set(["Settings", "LimitsConfig", "LullProps"]);

export function wideInterfaces(source: string): string[] {
  const found = source.matchAll(/^(?:export )?interface (\w+)[^{]*\{\n([\s\S]*?)^\}/gm);
  return [...found].flatMap(([, name = "", body = ""]) => {
    const members =
      withoutComments(body)
        .match(/^ {2}\S/gm)
        ?.filter((line) => !/^ {2}[})\]|]/.test(line)) ?? [];
    return members.length > MEMBERS_MAX && !SETTINGS.has(name)
      ? [`${name} has ${members.length} members`]
      : [];
  });
}
