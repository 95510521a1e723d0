const END_OF_HEAD = "\r\n\r\n";
const END_OF_CHUNKS = "\r\n0\r\n\r\n";

export interface HttpAnswer {
  readonly status: number;
  readonly closes: boolean;
}

/** As much of HTTP as an answer to a webhook needs: one at a time, with a length or in chunks. */
export class AnswerReader {
  #text = "";

  /** The answer, once it is there in full. */
  read(bytes: Buffer): HttpAnswer | undefined {
    this.#text += bytes.toString("latin1");
    const headEnd = this.#text.indexOf(END_OF_HEAD);
    if (headEnd === -1) return undefined;
    const head = this.#text.slice(0, headEnd).toLowerCase();
    if (!isWhole(this.#text, head, headEnd + END_OF_HEAD.length)) return undefined;
    this.#text = "";
    return { status: Number(head.slice(9, 12)), closes: head.includes("\r\nconnection: close") };
  }

  forget(): void {
    this.#text = "";
  }
}

function isWhole(text: string, head: string, bodyAt: number): boolean {
  const at = head.indexOf("\r\ncontent-length: ");
  if (at !== -1) return text.length >= bodyAt + Number.parseInt(head.slice(at + 18), 10);
  return head.includes("\r\ntransfer-encoding: chunked") ? text.endsWith(END_OF_CHUNKS) : true;
}
