/** A region in a host name: `sqs.eu-west-1.amazonaws.com`, `eu-west-1.queue.amazonaws.com`. */
const REGION = /(?:^|[.-])([a-z]{2,}(?:-[a-z]+)+-\d)\./;

export function regionIn(queueUrl: string): string | undefined {
  return REGION.exec(URL.parse(queueUrl)?.host ?? "")?.[1];
}

/** Account and name identify a queue, whatever its host. Only another region makes it another queue. */
export function isSameQueue(a: string, b: string): boolean {
  const [path, other] = [pathOf(a), pathOf(b)];
  if (path === undefined || path !== other) return false;
  const [region, otherRegion] = [regionIn(a), regionIn(b)];
  return region === undefined || otherRegion === undefined || region === otherRegion;
}

function pathOf(queueUrl: string): string | undefined {
  return URL.parse(queueUrl)?.pathname.replace(/\/+$/, "");
}
