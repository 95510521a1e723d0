/**
 * A decision that has to look things up on its way: it yields each question and is given the answer. So it is
 * written once for engines that read inside a transaction and for those that read by requests.
 */
export type Lookup<Question, Answer, Result> = Generator<Question, Result, Answer>;

export function lookUp<Question, Answer, Result>(
  lookup: Lookup<Question, Answer, Result>,
  read: (question: Question) => Answer,
): Result {
  let step = lookup.next();
  while (!step.done) step = lookup.next(read(step.value));
  return step.value;
}

export async function lookUpAsync<Question, Answer, Result>(
  lookup: Lookup<Question, Answer, Result>,
  read: (question: Question) => Promise<Answer>,
): Promise<Result> {
  let step = lookup.next();
  while (!step.done) step = lookup.next(await read(step.value));
  return step.value;
}
