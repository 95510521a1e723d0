export const LINE_LENGTH_MAX = 110;

export function longLines(source: string): number[] {
  return source.split("\n").flatMap((line, at) => (line.length > LINE_LENGTH_MAX ? [at + 1] : []));
}

export const LINES_MAX = 60;
export const MEDIAN_LINES_MAX = 80;

/**
 * Functions as the formatter leaves them: a body ends where a line stands as far left as the one that opened
 * it. Lists of cases do not count.
 */
export function longFunctions(source: string): string[] {
  const lines = source.split("\n");
  const leftOf = (line: string) => line.search(/\S/);
  return lines.flatMap((line, at) => {
    if (
      !/(?:=>|\)(?:: .+)?) \{$/.test(line) ||
      /^\s*(?:\} )?(?:if|for|while|switch|catch|describe\w*)\b/.test(line)
    )
      return [];
    const rest = lines.slice(at + 1);
    const length = 2 + rest.findIndex((each) => each !== "" && leftOf(each) <= leftOf(line));
    return length > LINES_MAX ? [line.trim()] : [];
  });
}

export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
