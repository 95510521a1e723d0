/** What a person does about it, where a reason's code tells; nothing where only its words do. */
export function nextStep(reason: string): string | undefined {
  return /\b[A-Z]+_UNAUTHORIZED\b/.test(reason) ? "lull doctor tries the key" : undefined;
}
