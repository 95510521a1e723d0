import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { fullDisk } from "./full-disk.ts";
import { Place } from "./place.ts";
import type { Said } from "./said.ts";

/** One failure: what a person reads of it that no program says, and what all say while it lasts. */
export interface Story {
  readonly title: string;
  readonly cause: string;
  readonly next: string;
  /** Left out where it cannot be made: a full disk takes the right to mount one. */
  readonly isPossible?: () => boolean;
  readonly look: () => Promise<Said>;
}

const OUT = { kind: "error", status: 500 } as const;

export const STORIES: readonly Story[] = [
  {
    title: "The key of the AI is wrong",
    cause: "`OPENAI_API_KEY` is mistyped, revoked, or another project's.",
    next:
      "`lull doctor` tries the key. Set the right one and start again: what waits is answered, within " +
      "`limits.retryForSeconds` of the first failure; what is a dead letter by then: `lull dead retry " +
      "--all`.",
    look: () =>
      at({}, async (place) => {
        place.at.openai.behave(() => ({ kind: "error", status: 401 }));
        await place.start();
        await place.write();
        await place.whenTold();
      }),
  },
  {
    title: "The signature does not fit",
    cause:
      "`TWILIO_AUTH_TOKEN` is not the account's primary token, or `LULL_PUBLIC_URL` is not the " +
      "address that Twilio was told, to the letter: `http` instead of `https`, another host, a path " +
      "before `/webhooks`.",
    next:
      "`lull status` counts what was refused and says what to compare. Then `lull catch-up --since " +
      "2h` fetches what was missed.",
    look: () =>
      at({ TWILIO_AUTH_TOKEN: "another-token" }, async (place) => {
        await place.start();
        await place.at.write(1, "Are you open on Sunday?", { to: place.url });
        await place.at.write(1, "Are you open on Sunday?", { to: place.url });
        await place.until("webhook.refused");
      }),
  },
  {
    title: "The webhook's URL is wrong",
    cause:
      "The URL at the provider has another path than `/webhooks/<channel>`: a typing error, a channel " +
      "that was renamed.",
    next: "Enter the URL that `lull doctor` prints. Then `lull catch-up --since 2h` fetches what was missed.",
    look: () =>
      at({}, async (place) => {
        await place.start();
        await place.at.postSigned(
          "/webhooks/whatsap",
          { Body: "hi", From: "whatsapp:+50370000001" },
          place.url,
        );
        await place.at.postSigned(
          "/webhooks/whatsap",
          { Body: "hi", From: "whatsapp:+50370000001" },
          place.url,
        );
      }),
  },
  {
    title: "The AI is down",
    cause: "OpenAI, or your own responder, answers with errors or not at all.",
    next:
      "Nothing: each turn is tried again for `limits.retryForSeconds`, and every customer is answered " +
      "once it is back. Set `failureText`, so that they hear of it.",
    look: () =>
      at({}, async (place) => {
        place.at.openai.behave(() => OUT);
        await place.start();
        await place.write();
        await place.whenTold();
      }),
  },
  {
    title: "Twilio is down",
    cause: "Twilio's API cannot be reached from here, or answers with errors.",
    next:
      "Nothing: the answer is written down, and goes out once Twilio takes it. Until then no text can be " +
      "sent to the customer. What Twilio itself could not deliver to you: `lull catch-up --since 2h`.",
    look: () =>
      at({}, async (place) => {
        await place.start();
        await place.at.twilio.stop();
        await place.write();
        await Promise.all([place.until("turn.retry"), place.whenVisitorAnswered()]);
      }),
  },
  {
    title: "The disk is full",
    cause: "The file system of the database (`LULL_DB`) has no space left.",
    next:
      "Make space. Nothing has to be started again. Twilio was told to come back, which it does only " +
      "where its URL ends in `#rc=3&rp=all`: `lull catch-up --since 2h`.",
    isPossible: () => process.getuid?.() === 0,
    look: fullDisk,
  },
  {
    title: "The port is taken",
    cause: "Another program, or another Lull, listens there.",
    next: "Stop it, or choose another port: `--port`, `PORT`.",
    look: async () => {
      const other = createServer().listen(0, "127.0.0.1");
      await once(other, "listening");
      try {
        return await stillborn({ PORT: String((other.address() as AddressInfo).port) }, "dev");
      } finally {
        other.close();
      }
    },
  },
  {
    title: "The store cannot be reached",
    cause:
      "The database is DynamoDB (`--engine aws`), and no endpoint answers: no network, a wrong " +
      "region, a proxy.",
    next:
      "`lull doctor` asks every table and queue. What Twilio could not deliver meanwhile: `lull " +
      "catch-up --since 2h`.",
    look: () => stillborn(UNREACHABLE, "start"),
  },
];

/** Port 9 discards: nothing listens there. */
const UNREACHABLE = {
  LULL_ENGINE: "aws",
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "test",
  AWS_SECRET_ACCESS_KEY: "test",
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  LULL_QUEUE_DEFAULT: "http://127.0.0.1:9/1/lull-default",
};

async function at(
  environment: Readonly<Record<string, string>>,
  goWrong: (place: Place) => Promise<unknown>,
): Promise<Said> {
  const place = await Place.make(environment);
  try {
    await goWrong(place);
    return await place.look();
  } finally {
    await place.end();
  }
}

/** A service that does not come up: what it says goes for its log. */
async function stillborn(
  environment: Readonly<Record<string, string>>,
  command: "dev" | "start",
): Promise<Said> {
  const place = await Place.make(environment);
  try {
    const log = await place.command(command);
    return { ...(await place.look()), log };
  } finally {
    await place.end();
  }
}
