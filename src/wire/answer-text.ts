/** The most bytes of a provider's answer that are read: a list of a thousand messages is 3 MB. */
export const PROVIDER_ANSWER_BYTES_MAX = 8_000_000;

/** An answer's text, or undefined if it is longer than `bytesMax`: the rest is left unread. */
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
