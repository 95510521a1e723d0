import type { Item } from "../../../src/engines/aws/dynamo/expression.ts";
import { fits } from "../../../src/engines/aws/items/item-size.ts";
import type { Random } from "../../../src/testing/simulator/random.ts";
import { LONG_NUMBERS, long } from "./long-numbers.ts";

/** Any value that a table can hold, among them those that the seeds wrote. Maps in it have these names. */
export function fuzzedValue(random: Random, names: readonly string[], depth = 0): unknown {
  const make: readonly (() => unknown)[] = [
    () => null,
    () => random.chance(0.5),
    () => random.pick(["", "x", "message", "2026-01-01T10:00:00Z", "whatsapp:+15550100", "\u0000\ud800"]),
    // Longer than a sort key, than any key, than all else of a row of ours.
    () => "x".repeat(random.pick([1_100, 2_100, 390_000])),
    () => random.pick([0, -1, 0.5, 2, 1_767_225_600, 1_767_225_600_000, 8.64e15, 9e15, 1e100, -1e100]),
    () => long(random.pick([...LONG_NUMBERS, "9223372036854775807", "1e-130", "9e125"])),
    () => new Set([random.pick(["a", "b"])]),
    () => new Set([long(random.pick(LONG_NUMBERS))]),
    () => new Uint8Array([random.below(256)]),
    () => Array.from({ length: random.below(3) }, () => fuzzedValue(random, names, depth + 1)),
    () => fuzzedItem(random, names, depth + 1),
  ];
  return random.pick(depth < 2 ? make : make.slice(0, 9))();
}

export function fuzzedItem(random: Random, names: readonly string[], depth = 0): Item {
  const chosen = names.filter(() => random.chance(random.pick([0.1, 0.5, 0.9])));
  const item: Item = {};
  for (const name of chosen) {
    const value = fuzzedValue(random, names, depth);
    if (fits({ ...item, [name]: value })) item[name] = value;
  }
  return item;
}
