import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Finding } from "../../ports/check-result.ts";
import { NeverConnected } from "../../wire/connection-failure.ts";
import { found } from "../../wire/finding.ts";
import { unanswered } from "../../wire/unanswered.ts";
import type { Service } from "./options.ts";

/**
 * Whether its secrets are there and its host takes connections. No request is sent: what a service of the
 * user's own does with one, whatever its method, only the user knows.
 */
export async function check(service: Service, signal: AbortSignal): Promise<Finding[]> {
  const { endpoint, secrets, secret, headers = {} } = service;
  try {
    const references = [...Object.values(headers), ...(secret === undefined ? [] : [secret])];
    await Promise.all(references.map((reference) => secrets.get(reference)));
    if (process.env.NODE_USE_ENV_PROXY === "1")
      return [
        found("skip", `http; ${endpoint.host} is called through a proxy: nothing but a turn would tell`),
      ];
    await connectTo(endpoint, signal);
    return [
      found(
        "ok",
        `http; ${endpoint.host} takes connections. No turn was sent, so what it answers is not known`,
      ),
    ];
  } catch (error) {
    return [found("fail", unanswered(endpoint.host, error, signal))];
  }
}

function connectTo({ protocol, hostname, port }: URL, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    const isTls = protocol === "https:";
    const at = { host, port: Number(port || (isTls ? 443 : 80)) };
    let isConnected = false;
    const done = () => {
      signal.removeEventListener("abort", giveUp);
      socket.destroy();
    };
    const end = () => {
      done();
      resolve();
    };
    const fail = (error: unknown) => {
      done();
      reject(error);
    };
    const giveUp = () => fail(isConnected ? signal.reason : new NeverConnected(signal.reason));
    const socket: Socket = isTls
      ? connectTls({ ...at, ...(isIP(host) === 0 && { servername: host }) }, end)
      : connectPlain(at, end);
    socket.on("connect", () => {
      isConnected = true;
    });
    socket.on("error", fail);
    if (signal.aborted) giveUp();
    else signal.addEventListener("abort", giveUp);
  });
}
