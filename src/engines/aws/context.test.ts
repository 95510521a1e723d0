import { expect, it } from "vitest";
import { settingsWith } from "../../core/defaults.ts";
import { fakeClock } from "../../testing/fake-clock.ts";
import { type AwsContext, contextFor } from "./context.ts";

const given = {
  clock: fakeClock(),
  settings: settingsWith({ clockSkewMs: 0, batchMessagesMax: 500, batchBytesMax: 1_000_000 }),
  holder: "worker",
  log: () => {},
  onArmed: () => {},
};
const context = contextFor(given, { forget: "table" } as Pick<AwsContext, "store" | "triggers" | "forget">);

it("an id can be given on a command line: none looks like an option", () => {
  const ids = Array.from({ length: 5_000 }, () => context.newId());
  expect(ids.filter((id) => !/^\w[\w-]{15}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});

it("limits of this store win over the configuration", () => {
  const { clockSkewMs, batchMessagesMax, batchBytesMax } = context.settings;
  expect([clockSkewMs, batchMessagesMax, batchBytesMax]).toEqual([2_000, 30, 256_000]);
});
