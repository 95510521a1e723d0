import { lambdaHandlers } from "../../src/lambda/index.ts";

const WORDS = "cannot make sense of: my card is 4000 1234 5678 9010";
const never = () => new Promise<never>(() => {});

/** Functions whose own code forgets a timer or a promise, which fails with what a customer wrote. */
export const { webhook: timer } = lambdaHandlers(() => {
  setTimeout(() => {
    throw new TypeError(WORDS);
  }, 1);
  return never();
});

export const { webhook: promise } = lambdaHandlers(() => {
  void Promise.reject(new TypeError(WORDS));
  return never();
});
