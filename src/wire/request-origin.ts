type Headers = Readonly<Record<string, string | undefined>>;

/** Headers that proxies and tunnels add: behind one, every caller in the world comes from loopback. */
const FORWARDED = [
  "x-forwarded-for",
  "x-forwarded-host",
  "forwarded",
  "x-real-ip",
  "cf-connecting-ip",
  "via",
];

/** Whether a proxy or a tunnel says that it forwarded the request. One that says nothing goes unnoticed. */
export function isForwarded(headers: Headers): boolean {
  return FORWARDED.some((name) => headers[name] !== undefined);
}

/**
 * Whether a browser says that another site's page made the request. Undefined if it does not say: older
 * browsers, and every browser if our own page came over plain HTTP from another machine. Then only `Origin`
 * is left.
 */
export function isOfAnotherSite(headers: Headers): boolean | undefined {
  switch (headers["sec-fetch-site"]) {
    case "same-origin":
    case "none":
      return false;
    case "cross-site":
    case "same-site":
      return true;
    default:
      return undefined;
  }
}

export function isLoopbackAddress(address: string | undefined): boolean {
  return address === "::1" || isLoopback4(address?.replace(/^::ffff:/i, ""));
}

/** An attacker's page may point its own host name at 127.0.0.1: then the browser sends that name. */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = host?.toLowerCase().replace(/:\d+$/, "");
  return name === "localhost" || name === "[::1]" || isLoopback4(name);
}

function isLoopback4(address: string | undefined): boolean {
  return address !== undefined && /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}
