/** One item of `input`: something said, a tool call, what a tool returned. */
export type InputItem = Readonly<Record<string, unknown>>;

/** What is posted. */
export type RequestBody = Readonly<Record<string, unknown>> & { readonly input: readonly InputItem[] };
