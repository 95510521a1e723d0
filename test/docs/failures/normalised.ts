/** What differs from run to run, or from machine to machine, by what stands for it. */
const DIFFERENT: readonly (readonly [found: RegExp, by: string])[] = [
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "12:03"],
  [/\bsince \d\d:\d\d/g, "since 12:03"],
  [/\b\d+ (?:s|min) ago\b|\bwaits, since now\b/g, "1 min ago"],
  [/\bin \d+ (?:s|min)\b/g, "in 9 s"],
  [/(12:03 )\(now\)/g, "$1(1 min ago)"],
  [/\b(due|tried again) now\b/g, "$1 in 9 s"],
  [/, tried again 1 min ago/g, ", tried again in 9 s"],
  [/\bdue (?:1 min ago|in 9 s)/g, "due in 9 s"],
  [/\b\d+ (?:tries|try) failed/g, "5 tries failed"],
  [/\battempt \d+/g, "attempt 5"],
  [/req_\d+/g, "req_1"],
  [/\S*\bc_[\w-]{22}/g, "c_…"],
  [/\b\d+(\.\d+)? s after due/g, "0.1 s after due"],
  [/127\.0\.0\.1:\d+/g, "127.0.0.1:8080"],
  [/\bport \d+/g, "port 8080"],
  [/\/\S*?\/(?=lull\.db|disk\b)/g, "/data/"],
  [/\b\d+ ms\b/g, "9 ms"],
  [/\b\d+ (webhooks|MB)\b/g, "2 $1"],
  [/\btable conversations[\w-]*/g, "table conversations"],
];

export function normalised(output: string): string[] {
  return DIFFERENT.reduce((said, [found, by]) => said.replace(found, by), output)
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}
