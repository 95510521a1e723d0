import { createLull } from "../../index.ts";
import { systemClock } from "../../runtime/system-clock.ts";
import { within } from "../../wire/deadline.ts";
import { isLoopbackHost } from "../../wire/request-origin.ts";
import type { Call } from "../command.ts";
import { silent, withData } from "../data.ts";
import { tokenOf } from "../running-service.ts";

export interface Cleaning {
  readonly call: Call;
  /** Where the service is. */
  readonly origin: string;
  /** It was named on the command line: it may be another machine's, whose store is not the one here. */
  readonly isNamed: boolean;
  /** Only of this run. */
  readonly run?: string;
  /** How many are gone so far. */
  readonly onErased: (count: number) => void;
}

/** How many are gone; or why they are not. */
export type Cleaned = { readonly erased: number } | { readonly why: string };

/** The service knows what it has; where it does not let us, the store that is configured here does. */
export async function clean(cleaning: Cleaning): Promise<Cleaned> {
  const asked = await untilDone(cleaning, await overApi(cleaning));
  if ("erased" in asked || cleaning.isNamed) return asked;
  let erased = 0;
  return withData(cleaning.call, async ({ lull }) => {
    const here = await untilDone(cleaning, (run) => lull.eraseSynthetic(run));
    if ("erased" in here) erased = here.erased;
    return 0;
  }).then(
    () => ({ erased }),
    () => asked,
  );
}

type Erase = (request: {
  readonly run?: string;
}) => Promise<{ readonly erased: number; readonly hasMore: boolean } | { readonly why: string }>;

async function untilDone({ run, onErased }: Cleaning, erase: Erase): Promise<Cleaned> {
  let erased = 0;
  for (;;) {
    const done = await erase(run === undefined ? {} : { run });
    if ("why" in done) return done;
    erased += done.erased;
    onErased(erased);
    if (!done.hasMore) return { erased };
  }
}

async function overApi({ call, origin, isNamed }: Cleaning): Promise<Erase> {
  const { secrets, apiToken, publicUrl } = createLull((await call.load("look")).config(silent));
  // Our token is for our own service: a host whose name was typed must not be told it.
  const isOurs =
    !isNamed ||
    isLoopbackHost(new URL(origin).host) ||
    (publicUrl !== undefined && new URL(publicUrl).origin === origin);
  const token = isOurs ? await tokenOf(secrets, apiToken) : undefined;
  return async (body) => {
    const headers = {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    const request = { method: "POST", redirect: "manual", headers, body: JSON.stringify(body) } as const;
    const response = await within(systemClock, REQUEST_MS_MAX, (signal) =>
      fetch(`${origin}/api/erase-synthetic`, { ...request, signal }),
    ).catch(() => undefined);
    if (response === undefined) return { why: `${origin} does not answer` };
    const answer = (await response.json().catch(() => ({}))) as Answer;
    if (response.ok) return { erased: answer.erased ?? 0, hasMore: answer.has_more === true };
    return { why: answer.error?.message ?? `the API answered ${response.status}` };
  };
}

/** Some hundred customers at a time: a store is rewritten meanwhile. */
const REQUEST_MS_MAX = 60_000;

interface Answer {
  readonly erased?: number;
  readonly has_more?: boolean;
  readonly error?: { readonly message?: string };
}
