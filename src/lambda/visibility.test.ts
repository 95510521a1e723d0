import { describe, expect, test } from "vitest";
import { queueUrl } from "./visibility.ts";

describe("the URL of a queue", () => {
  const arn = "arn:aws:sqs:eu-west-1:000000000000:lull-whatsapp";

  test("is the one that the engine uses, where it is one of its queues", () => {
    const known = [
      "http://127.0.0.1:4566/000000000000/lull-sms",
      "http://127.0.0.1:4566/000000000000/lull-whatsapp",
    ];
    expect(queueUrl(arn, known)).toBe(known[1]);
  });

  test("is made from its ARN otherwise", () => {
    const other = ["https://sqs.eu-west-1.amazonaws.com/000000000000/other-lull-whatsapp"];
    expect(queueUrl(arn, other)).toBe("https://sqs.eu-west-1.amazonaws.com/000000000000/lull-whatsapp");
    expect(queueUrl("arn:aws-cn:sqs:cn-north-1:000000000000:lull", [])).toBe(
      "https://sqs.cn-north-1.amazonaws.com.cn/000000000000/lull",
    );
  });

  test.each([undefined, "", "arn:aws:sqs", "arn:aws:sns:eu-west-1:000000000000:topic", "nonsense"])(
    "of %j is unknown",
    (odd) => {
      expect(queueUrl(odd, [])).toBeUndefined();
    },
  );
});
