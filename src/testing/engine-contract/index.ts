import { admission } from "./admission.ts";
import { attempts } from "./attempts.ts";
import { batches } from "./batches.ts";
import { clocks } from "./clocks.ts";
import { drafts } from "./drafts.ts";
import { elsewhere } from "./elsewhere.ts";
import { erasing } from "./erasing.ts";
import { foreignRows } from "./foreign-rows.ts";
import type { EngineCase } from "./harness.ts";
import { inspecting } from "./inspecting.ts";
import { lateAnswers } from "./late-answers.ts";
import { leases } from "./leases.ts";
import { listedMessages } from "./listed.ts";
import { moved } from "./moved.ts";
import { numbers } from "./numbers.ts";
import { onTurnValidation } from "./on-turn.ts";
import { outbounds } from "./outbounds.ts";
import { pausing } from "./pausing.ts";
import { people } from "./people.ts";
import { piles } from "./piles.ts";
import { projects } from "./projects.ts";
import { receiving } from "./receiving.ts";
import { recording } from "./recording.ts";
import { refusedBefore } from "./refused-before.ts";
import { rights } from "./rights.ts";
import { scale } from "./scale.ts";
import { strangers } from "./strangers.ts";
import { sweeping } from "./sweeping.ts";
import { unanswered } from "./unanswered.ts";
import { unknownSends } from "./unknown-sends.ts";
import { whileBusy } from "./while-busy.ts";
import { windows } from "./windows.ts";

export { engineFixture, type StoreAccess } from "./engine-fixture.ts";
export type { EngineCase, EngineFixture, EngineHarness, Skip, SpoiltHow, SpoiltWhat } from "./harness.ts";

/**
 * What every engine promises, as a list of cases for any test runner. Two stores that pass it are the same
 * store to everything above them. A case that cannot hold for an engine is named in its harness, with the
 * reason.
 */
export const engineContract: readonly EngineCase[] = [
  ...windows,
  ...receiving,
  ...refusedBefore,
  ...piles,
  ...admission,
  ...projects,
  ...people,
  ...numbers,
  ...moved,
  ...listedMessages,
  ...strangers,
  ...onTurnValidation,
  ...leases,
  ...drafts,
  ...attempts,
  ...unanswered,
  ...batches,
  ...whileBusy,
  ...outbounds,
  ...unknownSends,
  ...pausing,
  ...elsewhere,
  ...lateAnswers,
  ...recording,
  ...erasing,
  ...rights,
  ...sweeping,
  ...clocks,
  ...foreignRows,
  ...inspecting,
  ...scale,
];
