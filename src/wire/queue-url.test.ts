import { describe, expect, it } from "vitest";
import { isSameQueue, regionIn } from "./queue-url.ts";

const QUEUE = "https://sqs.eu-west-1.amazonaws.com/111122223333/whatsapp";

describe("a queue's URL", () => {
  it.each([
    [QUEUE],
    [`${QUEUE}/`],
    ["https://eu-west-1.queue.amazonaws.com/111122223333/whatsapp"],
    ["https://sqs-fips.eu-west-1.amazonaws.com/111122223333/whatsapp"],
    ["http://127.0.0.1:4566/111122223333/whatsapp"],
    ["http://sqs.eu-west-1.localhost:4566/111122223333/whatsapp"],
  ])("names the same queue as %s", (other) => {
    expect(isSameQueue(QUEUE, other)).toBe(true);
    expect(isSameQueue(other, QUEUE)).toBe(true);
  });

  it.each([
    ["https://sqs.eu-west-1.amazonaws.com/111122223333/whatsapp-ai"],
    ["https://sqs.eu-west-1.amazonaws.com/444455556666/whatsapp"],
    ["https://sqs.eu-west-2.amazonaws.com/111122223333/whatsapp"],
    ["not a URL"],
  ])("names another one than %s", (other) => {
    expect(isSameQueue(QUEUE, other)).toBe(false);
  });

  it("tells its region where the host does", () => {
    const regions = [
      QUEUE,
      "https://sqs-fips.us-gov-west-1.amazonaws.com/1/a",
      "https://ap-southeast-2.queue.amazonaws.com/1/a",
      "http://127.0.0.1:4566/1/a",
    ].map(regionIn);
    expect(regions).toEqual(["eu-west-1", "us-gov-west-1", "ap-southeast-2", undefined]);
  });
});
