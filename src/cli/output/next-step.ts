const STEPS: readonly (readonly [RegExp, string])[] = [
  [/\b[A-Z]+_UNAUTHORIZED\b/, "lull doctor tries the key"],
  [/\banswered 401\b|\berror 20003\b/, "lull doctor tries the credentials"],
  [
    /\b[A-Z]+_RATE_LIMITED\b|\banswered 429\b/,
    "it goes on by itself; if that happens often, have the limit there raised, or lower limits.concurrency",
  ],
  [/^ANSWER_TIMEOUT\b/, "it goes on by itself; limits.answerTimeoutSeconds is what the responder may take"],
  [
    /\b[A-Z]+_(UNAVAILABLE|UNREACHABLE)\b|^SEND_UNKNOWN\b|\bNO_ANSWER\b|\banswered 5\d\d\b|\bE[A-Z]{5,}\b/,
    "it goes on by itself once that is back, for limits.retryForSeconds",
  ],
];

/** What a person does about it, where a reason's code tells; nothing where only its words do. */
export function nextStep(reason: string): string | undefined {
  return STEPS.find(([known]) => known.test(reason))?.[1];
}
