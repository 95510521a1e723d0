import { afterAll, beforeAll, describe } from "vitest";
import {
  type Emulators,
  type RunningEmulators,
  startEmulators,
  unavailable,
} from "../../tools/aws-local/emulators.ts";

/**
 * Cases that share emulators of DynamoDB and SQS: these start before the first case and stop after the last.
 * Skipped where there are none.
 */
export function describeOnEmulators(title: string, cases: (emulators: Emulators) => void): void {
  describe.skipIf(unavailable)(title, () => {
    let running: RunningEmulators;
    beforeAll(async () => {
      running = await startEmulators();
    });
    afterAll(() => running.stop());
    cases({
      get endpoint() {
        return running.endpoint;
      },
      dynamodb: () => running.dynamodb(),
      sqs: () => running.sqs(),
      clientsAt: (url, options) => running.clientsAt(url, options),
    });
  });
}
