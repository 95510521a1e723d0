import { ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import { describeOnFunctions, startLambdaService } from "../../test/aws/service/aws-platform.ts";
import { atRest } from "../../test/service/platform.ts";

const TARGET = "https://sqs.eu-west-1.amazonaws.com/111122223333/ai";

describeOnFunctions("a queue that turns are handed to", (emulation) => {
  it("is there under the name of its URL, and gets the merged turn", async () => {
    const at = await startLambdaService(emulation, { LULL_AI_QUEUE: TARGET });
    const sqs = emulation.emulators.sqs();
    try {
      for (const text of ["one", "two"]) expect((await at.write(1, text)).status).toBe(200);
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: TARGET, WaitTimeSeconds: 20 }),
      );
      expect(
        Messages.map(({ Body }) => (JSON.parse(Body ?? "") as { combined_body: string }).combined_body),
      ).toEqual(["one\ntwo"]);
      expect(await atRest(at)).toMatchObject({ turns: 1 });
      expect(at.twilio.sent).toEqual([]);
    } finally {
      sqs.destroy();
      await at.end();
    }
  });
});
