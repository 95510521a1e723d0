/** They hide who does something: a worker, a webhook, the sweeper, a provider, a customer, an operator. */
const VAGUE = /\b(?:somebody|someone|whoever|nobody|anybody|anyone|no one|everybody)\b/i;

/** Whole comments, so that words at the end of a line and at the beginning of the next are found as well. */
export function vagueComments(source: string): string[] {
  const comments = source.match(/\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm) ?? [];
  return comments
    .map((each) => each.replaceAll(/\s*\n\s*\*?\s*/g, " ").trim())
    .filter((each) => VAGUE.test(each));
}

export function withoutComments(source: string): string {
  return source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gm, "");
}
