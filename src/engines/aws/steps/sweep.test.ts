import { expect, it } from "vitest";
import { memoryScene } from "../../../../test/aws/simulated/memory-fixture.ts";
import { engineOn } from "../engine.ts";

const now = async () => {};

const FIXED = { kind: "fixed", lengthMs: 10_000 } as const;
const owned = (project: string) => ({ test: { type: "test", window: FIXED, project } });
const projects = { acme: { status: "active" }, beta: { status: "active" } };

it("what is held for a paused project is looked at once its channel is another's", async () => {
  const { s, fixture } = await memoryScene({ channels: owned("acme"), projects });
  await s.engine.conversations.changeProject("acme", { paused: true });
  await s.receive("hi");
  await s.windowPasses();
  await s.engine.turns.takeDue(10, new AbortController().signal);
  const held = fixture.triggers().length;
  const swept = async (project: string) => {
    const context = fixture.context("sweeper");
    const { settings } = context;
    await engineOn({ ...context, settings: { ...settings, channels: owned(project) } }, now).sweeping.sweep();
    return fixture.triggers().length;
  };
  // Noted for the first time; then all is as it was.
  await swept("acme");
  const noted = fixture.triggers().length;
  expect(await swept("acme")).toBe(noted);
  expect(await swept("beta")).toBe(noted + 1);
  expect(await swept("beta")).toBe(noted + 1);
  expect(noted).toBeGreaterThanOrEqual(held);
});
