type Value = string | number | boolean | Table | Table[];
interface Table {
  [key: string]: Value;
}

/** What fly.toml needs of TOML: tables, lists of tables, and a key with one plain value. All else throws. */
export function readToml(text: string): Table {
  const root: Table = {};
  let at = root;
  for (const [index, line] of text.split("\n").entries()) {
    const said = line.trim();
    const list = /^\[\[([\w.]+)\]\]$/.exec(said)?.[1];
    const table = /^\[([\w.]+)\]$/.exec(said)?.[1];
    const [, key, value] = /^(\w+) = (.+)$/.exec(said) ?? [];
    if (said === "" || said.startsWith("#")) continue;
    if (list !== undefined) at = opened(root, list.split("."), true);
    else if (table !== undefined) at = opened(root, table.split("."), false);
    else if (key !== undefined && value !== undefined && !(key in at)) at[key] = plain(value);
    else throw new Error(`line ${index + 1} is not understood, or says a thing twice: ${line}`);
  }
  return root;
}

function opened(root: Table, path: readonly string[], isList: boolean): Table {
  const last = path.at(-1) ?? "";
  let above = root;
  for (const name of path.slice(0, -1)) {
    above[name] ??= {};
    above = above[name] as Table;
  }
  const fresh: Table = {};
  if (isList) above[last] = [...((above[last] as Table[] | undefined) ?? []), fresh];
  else if (last in above) throw new Error(`the table ${path.join(".")} is there twice`);
  else above[last] = fresh;
  return fresh;
}

function plain(value: string): string | number | boolean {
  if (/^(?:"[^"\\]*"|\d+|true|false)$/.test(value)) return JSON.parse(value);
  throw new Error(`not a plain value: ${value}`);
}
