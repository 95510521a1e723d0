import { didYouMean } from "../../schema/suggest.ts";
import { type Call, textOption } from "../command.ts";
import { UsageError } from "../usage-error.ts";

/** What a person chooses between: a word for flags, a line for the question. */
type Answers = Readonly<Record<string, string>>;

interface Question {
  readonly title: string;
  /** The first one is taken where nothing is said. */
  readonly answers: Answers;
}

export const QUESTIONS = {
  channel: {
    title: "Where do your customers write?",
    answers: {
      web: "in a page of yours: the phone page, to begin with",
      whatsapp: "WhatsApp, through Twilio",
      sms: "SMS, through Twilio",
      wati: "WhatsApp, through WATI",
    },
  },
  responder: {
    title: "Who answers them?",
    answers: {
      echo: "an echo, until you know",
      openai: "a model of OpenAI",
      function: "a function of your own, in TypeScript",
      http: "a service of your own, in any language",
    },
  },
  engine: {
    title: "Where does it run?",
    answers: {
      sqlite: "on one machine, in a SQLite file",
      aws: "on AWS: Lambda, DynamoDB and SQS, deployed with CDK",
    },
  },
  deploy: {
    title: "How does it run on that machine?",
    answers: {
      none: "by hand, for now",
      compose: "in a container: compose.yaml",
      systemd: "as a service of the system: lull.service",
    },
  },
} as const satisfies Readonly<Record<string, Question>>;

export interface Choices {
  readonly channel: keyof (typeof QUESTIONS)["channel"]["answers"];
  readonly responder: keyof (typeof QUESTIONS)["responder"]["answers"];
  readonly engine: keyof (typeof QUESTIONS)["engine"]["answers"];
  readonly deploy: keyof (typeof QUESTIONS)["deploy"]["answers"];
}

export const FLAGS = ["channel", "responder", "engine", "deploy"] as const;
type Flag = (typeof FLAGS)[number];

/** By flags, then by asking; with `--yes` the first of each, unasked. */
export async function choose(call: Call): Promise<Choices> {
  const isUnasked = call.options.yes === true;
  const given = Object.fromEntries(FLAGS.map((flag) => [flag, flagIn(call, flag)]));
  const missing = FLAGS.slice(0, 3).filter((flag) => given[flag] === undefined);
  if (!isUnasked && call.io.ask === undefined && missing.length > 0) throw notAsked(missing);
  const chosen: Record<string, string> = {};
  for (const flag of FLAGS) {
    // On AWS there is no machine.
    const isMoot = flag === "deploy" && chosen.engine === "aws";
    const first = Object.keys(QUESTIONS[flag].answers)[0]!;
    const ask = isUnasked || isMoot ? undefined : call.io.ask;
    chosen[flag] = given[flag] ?? (ask === undefined ? first : await asked(call, ask, QUESTIONS[flag]));
  }
  if (chosen.engine === "aws" && chosen.deploy !== "none")
    throw new UsageError("--deploy is for one machine; on AWS the CDK app deploys");
  return chosen as unknown as Choices;
}

function flagIn(call: Call, flag: Flag): string | undefined {
  const given = textOption(call, flag);
  const words = Object.keys(QUESTIONS[flag].answers);
  if (given === undefined || words.includes(given)) return given;
  throw new UsageError(`--${flag} is one of ${words.join(", ")}${didYouMean(given, words)}`);
}

function notAsked(missing: readonly Flag[]): UsageError {
  const flags = missing.map((flag) => `--${flag} ${Object.keys(QUESTIONS[flag].answers).join("|")}`);
  return new UsageError(
    `lull init asks on a terminal, and this is none: say ${flags.join(", ")}; ` +
      "or --yes, for the first of each",
  );
}

/** A number or the word; a return is the first one. */
async function asked(
  call: Call,
  ask: (question: string) => Promise<string>,
  { title, answers }: Question,
): Promise<string> {
  const words = Object.keys(answers);
  const width = Math.max(...words.map(({ length }) => length));
  const lines = words.map((word, n) => `  ${n + 1}  ${word.padEnd(width)}  ${answers[word]}`);
  call.io.err(`\n${title}\n${lines.join("\n")}\n`);
  for (;;) {
    const answer = (await ask(`1 to ${words.length} (1): `)).trim();
    const word =
      answer === "" ? words[0] : (words[Number(answer) - 1] ?? words.find((each) => each === answer));
    if (word !== undefined) return word;
    call.io.err(`There is no "${answer}".\n`);
  }
}
