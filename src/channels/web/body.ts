export type Fields = Readonly<Record<string, unknown>>;

/** The body as an object, or undefined where it is anything else. */
export function readObject(body: Buffer): Fields | undefined {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined;
  } catch {
    return undefined;
  }
}
