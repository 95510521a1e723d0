import { afterAll, beforeAll, describe } from "vitest";
import {
  type Emulators,
  type RunningEmulators,
  startEmulators,
  unavailable,
} from "../../tools/aws-local/emulators.ts";

/** Cases on DynamoDB and SQS emulators that they share: started before the first, stopped after the last, skipped where there are none. */
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
