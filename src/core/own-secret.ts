/** Shorter ones are guessed. It is for secrets that people choose (tokens, what a webhook carries): a provider's are as long as it makes them. */
export const OWN_SECRET_LENGTH_MIN = 16;
export const MAKE_A_SECRET = "make one with: openssl rand -base64 24";

export function isGuessable(secret: string): boolean {
  return secret.length < OWN_SECRET_LENGTH_MIN;
}

/** Says what to do about one that is. */
export function guessable(name: string): string {
  return `${name} is shorter than ${OWN_SECRET_LENGTH_MIN} characters; ${MAKE_A_SECRET}`;
}
