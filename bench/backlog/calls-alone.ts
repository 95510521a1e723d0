import { monotonicMs } from "../clock.ts";
import { TURNS_AT_ONCE } from "../peers/peer-settings.ts";
import { takeTurn } from "../peers/take-turn.ts";
import { customerOf, textOf } from "../webhook.ts";

/** The HTTP calls of so many turns, as many at once as a worker makes, and nothing else. */
const [, , fakesUrl = "", turns = "0"] = process.argv;

let left = Number(turns);
async function lane(): Promise<void> {
  while (left > 0) {
    left -= 1;
    await takeTurn(fakesUrl, customerOf(left), [textOf(left)]);
  }
}

const startedAtMs = monotonicMs();
await Promise.all(Array.from({ length: TURNS_AT_ONCE }, lane));
console.log(`took ${monotonicMs() - startedAtMs}`);
process.exit();
