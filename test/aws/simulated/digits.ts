/** A number as DynamoDB keeps it: `digits` times ten to the power of `exponent`. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

const DIGITS_MAX = 38;

function decimal(text: string): Decimal {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = `${whole}${fraction}`;
  const digits = all.replace(/0+$/, "");
  if (digits === "") return { digits: 0n, exponent: 0 };
  const exponent = Number(power) - fraction.length + (all.length - digits.length);
  return { digits: BigInt(`${sign === "-" ? "-" : ""}${digits}`), exponent };
}

function together(
  a: Decimal,
  b: Decimal,
): { readonly a: bigint; readonly b: bigint; readonly exponent: number } {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (each: Decimal) => each.digits * 10n ** BigInt(each.exponent - exponent);
  return { a: scaled(a), b: scaled(b), exponent };
}

/** Below zero if the first is smaller, 0 if both are the same however they are written. */
export function compareNumbers(first: string, second: string): number {
  if (first === second) return 0;
  const { a, b } = together(decimal(first), decimal(second));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** One way of writing for each number. */
export function canonical(text: string): string {
  return written(decimal(text));
}

function written({ digits, exponent }: Decimal): string {
  const sign = digits < 0n ? "-" : "";
  const all = String(digits < 0n ? -digits : digits);
  if (exponent >= 0) return `${sign}${all}${"0".repeat(exponent)}`;
  const padded = all.padStart(1 - exponent, "0");
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** With every digit; undefined if there are more than DynamoDB keeps. */
export function sumOf(first: string, second: string): string | undefined {
  const { a, b, exponent } = together(decimal(first), decimal(second));
  const sum = decimal(`${a + b}e${exponent}`);
  const digits = String(sum.digits < 0n ? -sum.digits : sum.digits);
  return digits.length > DIGITS_MAX ? undefined : written(sum);
}
