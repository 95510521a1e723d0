/** Bytes of a provider's answer that are read at most: a thousand listed messages are 3 MB. */
export const PROVIDER_ANSWER_BYTES_MAX = 8_000_000;

/** An answer's text, or undefined where it is longer than anybody will read: the rest stays where it is. */
export async function answerText(
  body: AsyncIterable<Uint8Array> | null,
  bytesMax = PROVIDER_ANSWER_BYTES_MAX,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop ends the connection.
    if (bytes > bytesMax) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
