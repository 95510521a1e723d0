import { expect, it } from "vitest";
import { cutBatch } from "../../../core/batch.ts";
import { settingsWith } from "../../../core/defaults.ts";
import type { StagedItem } from "../../../core/found.ts";
import type { Work } from "../../../core/state.ts";
import { seeded } from "../../../testing/simulator/random.ts";
import type { AwsContext } from "../context.ts";
import { nextOf } from "./left-behind.ts";

it("whatever a turn takes of what was left is read for it: any pile, any limits, any earlier tries", () => {
  const { below, chance } = seeded(7);
  for (let round = 0; round < 2_000; round += 1) {
    const hasTimes = chance(0.5);
    const items = Array.from({ length: 1 + below(12) }, (_, sequence): StagedItem => {
      const sent = hasTimes || chance(0.5) ? { sentAtMs: below(5) } : {};
      const bytes = below(4) === 0 ? 50 : below(10);
      return {
        kind: "message",
        id: `m${sequence}`,
        arrivedAtMs: below(5),
        position: below(3),
        sequence,
        bytes,
        ...sent,
      };
    });
    const tried = () => items.map(({ id }) => id).filter(() => chance(0.2));
    const works = [tried(), ["gone"], tried()].map((messageIds) => ({ messageIds }) as unknown as Work);
    const settings = settingsWith({ batchMessagesMax: 1 + below(5), batchBytesMax: 1 + below(40) });
    const left = { items, newest: undefined, newestChannel: undefined, seenAtMs: 0 };
    const read = nextOf({ settings } as AwsContext, { works }, left);
    for (const { messageIds } of works) {
      const { batch } = cutBatch(items, settings, new Set(messageIds));
      expect(read).toEqual(expect.arrayContaining(batch.map(({ id }) => id)));
    }
  }
});
