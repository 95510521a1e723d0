import { describe, expect, it } from "vitest";
import type { KeptBack } from "./pause.ts";
import { keptBackBy, standingOf, type WaitingLock } from "./standing.ts";

const NOW = 100_000;
const NONE = { all: false, projects: [] };
const due: WaitingLock = { staged: 2, window: { dueAtMs: NOW - 8_000 } };
const failing: WaitingLock = { ...due, failing: { reason: "X: 500", tries: 1, againAtMs: NOW - 60_000 } };
const stand = (lock: WaitingLock, keptBack?: KeptBack, projects: string[] = []) =>
  standingOf([{ lock, keptBack }], { all: false, projects }, NOW);

describe("how it stands", () => {
  it("tells when the first should be taken, where nobody keeps it back", () => {
    expect(stand(due)).toMatchObject({ waiting: 1, oldestDueAtMs: NOW - 8_000 });
  });

  it.each<KeptBack>([{ by: "all-paused" }, { by: "project-paused", project: "acme" }, { by: "paused" }])(
    "what is kept back (%o) is neither late nor failing",
    (keptBack) => {
      expect(stand(due, keptBack)).toMatchObject({ waiting: 1 });
      expect(stand(due, keptBack).oldestDueAtMs).toBeUndefined();
      expect(stand(failing, keptBack).failing).toEqual([]);
    },
  );

  it("counts what waits for a person, by what keeps it back", () => {
    expect(stand(due, { by: "paused" }).paused).toEqual({ conversations: 1, messages: 2 });
    expect(stand(due, { by: "project-paused", project: "a" }, ["a", "b"]).pausedProjects).toEqual([
      { project: "a", conversations: 1, messages: 2 },
      { project: "b", conversations: 0, messages: 0 },
    ]);
  });

  it("what another system processes is not late, but waits for it", () => {
    const standing = stand({ ...due, elsewhere: { sinceAtMs: NOW - 5_000 } });
    expect(standing.elsewhere).toEqual({ conversations: 1, sinceAtMs: NOW - 5_000 });
    expect(standing.oldestDueAtMs).toBeUndefined();
  });

  it("counts conversations that fail for one reason together, whatever differs between two tries", () => {
    const of = (request: string) => ({ ...due, failing: { reason: `X (request ${request})`, tries: 1 } });
    const stood = [{ lock: of("r1") }, { lock: of("r2") }];
    expect(standingOf(stood, NONE, NOW).failing).toEqual([{ reason: "X (request …)", conversations: 2 }]);
  });

  it("what a worker has is answered, and not late", () => {
    const lease = { untilAtMs: NOW + 1, turnId: "t1" };
    expect(stand({ ...due, lease })).toMatchObject({ answering: 1 });
    expect(stand({ ...due, lease }).oldestDueAtMs).toBeUndefined();
  });
});

describe("what keeps a conversation back", () => {
  const settings = {
    channels: {
      one: { type: "web", project: "acme", addresses: ["here"] },
      two: { type: "web", project: "other", addresses: ["there"] },
    },
    projects: { acme: { status: "active" }, other: { status: "active" } },
  };
  const ana = { channelType: "web", address: "here", sender: "ana", paused: false };
  const alone = { ...settings, channels: { one: settings.channels.one } };

  it.each([
    ["nothing", ana, NONE, undefined],
    ["a pause of all", { ...ana, paused: true }, { all: true, projects: ["acme"] }, { by: "all-paused" }],
    ["its project's", ana, { all: false, projects: ["acme"] }, { by: "project-paused", project: "acme" }],
    ["no other project's", ana, { all: false, projects: ["other"] }, undefined],
    ["its own", { ...ana, paused: true }, NONE, { by: "paused" }],
    ["a pause of all, with no record", undefined, { all: true, projects: [] }, { by: "all-paused" }],
    ["nothing that is known, with no record", undefined, NONE, undefined],
  ])("is %s", (_, conversation, pauses, expected) => {
    expect(keptBackBy(conversation, undefined, pauses, settings as never)).toEqual(expected);
  });

  it("is no pause but that of all, where a reply is written down", () => {
    const paused = { ...ana, paused: true };
    const kept = (all: boolean) =>
      keptBackBy(paused, { draft: true }, { all, projects: ["acme"] }, settings as never);
    expect([kept(false), kept(true)]).toEqual([undefined, { by: "all-paused" }]);
  });

  it("is the only project's pause at an address that no channel has any more, and none of several's", () => {
    const formerly = { ...ana, address: "before" };
    const acme = { all: false, projects: ["acme"] };
    const paused = { by: "project-paused", project: "acme" };
    expect(keptBackBy(formerly, undefined, acme, alone as never)).toEqual(paused);
    expect(keptBackBy(formerly, undefined, acme, settings as never)).toBeUndefined();
  });
});
