/** How a message reaches the phone page's channel, byte by byte. */
export function post(
  body: string | Buffer,
  headers = `Content-Length: ${Buffer.byteLength(body)}`,
  path = "/webhooks/web",
) {
  const head =
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n` + `Content-Type: application/json\r\n${headers}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(body as string)]).toString("latin1");
}
