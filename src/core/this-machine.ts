type Headers = Readonly<Record<string, string | undefined>>;

/** What proxies and tunnels add: behind one, every caller in the world comes from loopback. */
const FORWARDED = [
  "x-forwarded-for",
  "x-forwarded-host",
  "forwarded",
  "x-real-ip",
  "cf-connecting-ip",
  "via",
];

/** Whether a proxy or a tunnel says that it passed this on. One that says nothing is not told by anything. */
export function isForwarded(headers: Headers): boolean {
  return FORWARDED.some((name) => headers[name] !== undefined);
}

/**
 * Whether a browser says that another site's page made the request. Undefined where it says nothing that is known: older ones, and all of
 * them where our own page came over plain HTTP from another machine, which leaves `Origin`.
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

/** A page may point a name of its own at 127.0.0.1: then its browser sends that name. */
export function isLoopbackHost(host: string | undefined): boolean {
  const name = host?.toLowerCase().replace(/:\d+$/, "");
  return name === "localhost" || name === "[::1]" || isLoopback4(name);
}

function isLoopback4(address: string | undefined): boolean {
  return address !== undefined && /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(address);
}
