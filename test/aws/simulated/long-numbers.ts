import { NumberValueImpl } from "@aws-sdk/util-dynamodb";

/** As other systems write them: Python's time_ns(), Decimal(time.time()), and what nobody means. */
export const LONG_NUMBERS = [
  "1767225600123456789",
  "1767225600.1234567165374755859375",
  "0.10000000000000000000000001",
  "9007199254740993",
  "-1e100",
];

export const long = (text: string) => NumberValueImpl.from(text);
