/** They hide who does something: a worker, a webhook, the sweeper, a provider, a customer, an operator. */
const VAGUE = /\b(?:somebody|someone|whoever|nobody|anybody|anyone|no one|everybody)\b/i;

/** Whole comments, so that words at the end of a line and at the beginning of the next are found as well. */
export function vagueComments(source: string): string[] {
  const comments = source.match(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm) ?? [];
  return comments
    .map((each) => each.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim())
    .filter((each) => VAGUE.test(each));
}

/** Words of a page, with what stands around them. */
export function vaguePhrases(prose: string): string[] {
  return prose.match(new RegExp(`.{0,40}${VAGUE.source}.{0,40}`, "gi")) ?? [];
}

/** Names of functions and values, outside of comments and texts. */
export function vagueNames(source: string): string[] {
  const code = withoutComments(source)
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`/g, '""')
    .replaceAll(/\/\/.*$/gm, "");
  return code.match(/\b\w*(?:somebody|someone|whoever|nobody|anybody|anyone|everybody)\w*\b/gi) ?? [];
}

export function withoutComments(source: string): string {
  return source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
}
