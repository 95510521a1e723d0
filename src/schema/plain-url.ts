const MASK = "********";

/** What a URL may have beside scheme, host and path. */
export interface UrlRule {
  readonly credentials?: true;
  readonly query?: true;
  /** Paths of webhooks are added to it: it must not have one already. */
  readonly withoutWebhooks?: true;
}

/** Behind a proxy that asks for a password, providers have to be told it. */
export const PUBLIC_URL_RULE = { credentials: true, withoutWebhooks: true } as const;

/** Paths are appended, so no query; a `#` is never sent; credentials have their own settings. */
export function isPlainUrl(text: string, { credentials, query, withoutWebhooks }: UrlRule = {}): boolean {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  if (!credentials && (url.username !== "" || url.password !== "")) return false;
  if (withoutWebhooks && /\/webhooks(\/|$)/i.test(url.pathname)) return false;
  // An empty query counts, but `search` does not show it.
  return !url.href.includes("#") && (query === true || !url.href.includes("?"));
}

export function plainUrlInWords({ credentials, query, withoutWebhooks }: UrlRule = {}): string {
  const without = [...(credentials ? [] : ["user and password"]), ...(query ? [] : ["query"]), "#"];
  const base = withoutWebhooks ? ", and without /webhooks/...: Lull adds the path of each channel" : "";
  return `a URL that starts with http:// or https://, without ${without.join(", ")}${base}`;
}

/** Shows where a URL leads, without the credentials in it. */
export function maskUrl(text: string): string {
  const url = URL.parse(text);
  const hidden = text.replace(/\?[^#]*/, `?${MASK}`).replace(/#.*/s, `#${MASK}`);
  if (url === null || !/^https?:$/.test(url.protocol))
    return hidden.replace(/^([a-z][\w+.-]*:[/\\]+)?.*@/is, `$1${MASK}@`);
  if (url.username === "" && url.password === "") return hidden;
  if (url.username !== "") url.username = MASK;
  if (url.password !== "") url.password = MASK;
  if (url.search !== "") url.search = MASK;
  if (url.hash !== "") url.hash = MASK;
  return url.href;
}

/** For programs, which would take a mask for a name. */
export function withoutUser(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.username === "" && url.password === "")) return text;
  url.username = "";
  url.password = "";
  return url.href;
}

/** A library's error may quote a URL with its credentials. */
export function withoutUsers(sentence: string): string {
  return sentence.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, `$1${MASK}@`);
}
