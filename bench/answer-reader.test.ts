import { expect, test } from "vitest";
import { AnswerReader } from "./answer-reader.ts";

const whole = "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\nContent-Length: 5\r\n\r\n<ok/>";
const chunked =
  "HTTP/1.1 503 Service Unavailable\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n" +
  "2\r\nno\r\n0\r\n\r\n";

test("an answer is there with its last byte, however it is cut, and the next one after it", () => {
  for (let cut = 1; cut < whole.length; cut += 1) {
    const reader = new AnswerReader();
    for (let round = 0; round < 2; round += 1) {
      expect(reader.read(Buffer.from(whole.slice(0, cut)))).toBeUndefined();
      expect(reader.read(Buffer.from(whole.slice(cut)))).toEqual({ status: 200, closes: false });
    }
  }
});

test("an answer in chunks ends with the last of them, and says that the connection does", () => {
  const reader = new AnswerReader();
  expect(reader.read(Buffer.from(chunked.slice(0, -4)))).toBeUndefined();
  expect(reader.read(Buffer.from(chunked.slice(-4)))).toEqual({ status: 503, closes: true });
});
