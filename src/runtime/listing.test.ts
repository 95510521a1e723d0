import { expect, test } from "vitest";
import type { InboundMessage } from "../model/message.ts";
import type { Channel, Listed } from "../ports/channel.ts";
import { fakeClock } from "../testing/fake-clock.ts";
import { testChannel } from "../testing/test-channel.ts";
import { LISTING_MS_MAX, receivedSince } from "./listing.ts";

const message = (providerId: string) => ({ providerId }) as InboundMessage;

const idOf = (listed: Listed) => (listed === "asking" ? listed : listed.providerId);

function listing(listReceived: NonNullable<Channel["listReceived"]>): Channel {
  return { ...testChannel(), listReceived };
}

test("a list that goes on takes as long as it takes", async () => {
  const clock = fakeClock();
  const channel = listing(async function* () {
    for (const id of ["1", "2", "3"]) {
      await clock.sleep(LISTING_MS_MAX - 1);
      yield message(id);
    }
  });
  const got: string[] = [];
  const all = (async () => {
    for await (const listed of receivedSince(channel, 0, clock)) got.push(idOf(listed));
  })();
  await clock.advance(3 * LISTING_MS_MAX);
  await all;
  expect(got).toEqual(["1", "2", "3"]);
});

test("a list of many questions is not silent while each is answered", async () => {
  const clock = fakeClock();
  const channel = listing(async function* () {
    for (let question = 1; question <= 3; question++) {
      await clock.sleep(LISTING_MS_MAX - 1);
      yield "asking";
    }
    yield message("1");
  });
  const got: string[] = [];
  const all = (async () => {
    for await (const listed of receivedSince(channel, 0, clock)) got.push(idOf(listed));
  })();
  await clock.advance(3 * LISTING_MS_MAX);
  await all;
  expect(got).toEqual(["asking", "asking", "asking", "1"]);
});

test("one that stops in the middle is given up, and what came is kept", async () => {
  const clock = fakeClock();
  let seen: AbortSignal | undefined;
  const channel = listing(async function* (_since, signal) {
    seen = signal;
    yield message("1");
    await new Promise(() => {});
  });
  const got: string[] = [];
  const all = (async () => {
    for await (const listed of receivedSince(channel, 0, clock)) got.push(idOf(listed));
  })().catch((error) => error);
  await clock.advance(LISTING_MS_MAX);
  expect(await all).toMatchObject({ message: "no answer within 120 s" });
  expect(got).toEqual(["1"]);
  expect(seen?.aborted).toBe(true);
});

test("a channel that has no list has nothing to list", async () => {
  const { listReceived: _none, ...channel }: Channel = { ...testChannel() };
  expect(await receivedSince(channel, 0, fakeClock()).next()).toMatchObject({ done: true });
});
