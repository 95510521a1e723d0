/**
 * Pictures of the real pages, by their files: `npm run photographs` takes them anew in the Chromium that
 * LULL_TEST_BROWSER names. Fonts differ from machine to machine, so no test compares what is in them.
 */
export const PHOTOGRAPHS = [
  { file: "docs/pictures/phone-light.jpg", width: 1_100, scheme: "light", shows: "answered" },
  { file: "docs/pictures/phone-dark.jpg", width: 1_100, scheme: "dark", shows: "answered" },
  { file: "docs/pictures/phone-gathering.jpg", width: 390, scheme: "light", shows: "gathering" },
  { file: "docs/pictures/phone-failing.jpg", width: 1_100, scheme: "light", shows: "failing" },
] as const;

/** Of each: a page should load on a phone, too. */
export const PHOTOGRAPH_BYTES_MAX = 100_000;
