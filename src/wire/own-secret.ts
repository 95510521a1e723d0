/**
 * Shorter ones can be guessed. This is for secrets that people choose (tokens, what a webhook carries); a
 * provider decides how long its own are.
 */
const OWN_SECRET_LENGTH_MIN = 16;
export const MAKE_A_SECRET = "make one with: openssl rand -base64 24";

export function isGuessable(secret: string): boolean {
  return secret.length < OWN_SECRET_LENGTH_MIN;
}

/** Says what to do about a secret that can be guessed. */
export function guessable(name: string): string {
  return `${name} is shorter than ${OWN_SECRET_LENGTH_MIN} characters; ${MAKE_A_SECRET}`;
}
