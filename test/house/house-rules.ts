import { withoutComments } from "./comments.ts";
import { isTest } from "./sources.ts";

interface HouseRule {
  readonly name: string;
  readonly pattern: RegExp;
  readonly say: string;
  /** Files or folders that may, each with its reason. */
  readonly except?: Readonly<Record<string, string>>;
  readonly inTests: boolean;
}

const anyOf = (...patterns: readonly RegExp[]) => new RegExp(patterns.map(({ source }) => source).join("|"));

export const HOUSE_RULES: readonly HouseRule[] = [
  {
    name: "the clock is handed in",
    pattern: anyOf(
      /\bDate\.now\b|\bnew Date\(\)|\bset(?:Timeout|Interval)\(/,
      /\bperformance\.now\b|\bAbortSignal\.timeout\b|node:timers/,
    ),
    say: "asks the machine for the time; take a Clock instead",
    except: {
      "runtime/system-clock.ts": "is the machine's time",
      "http/page/built/": "is made from web, which keeps to this itself",
      "web/phone/main.ts": "hands the browser's clock to the rest of the page",
      "cli/commands/doctor.ts": "waits for other machines on the network, and no turn depends on it",
      "cli/commands/status.ts": "waits for the service as a user would, and no turn depends on it",
      "tools/aws-local/bootstrap.ts": "is Lambda's runtime: what is left of a function's time is real",
      "tools/aws-local/crashing-handlers.ts": "throws from a timer, where nothing can catch it",
      "tools/aws-local/sample-handlers.ts": "is slow in real time: so is the process that it runs in",
      "bench/": "measures real processes, in real time",
    },
    inTests: false,
  },
  {
    name: "the log quotes no error",
    pattern: /\b(?:reason|error): String\(/,
    say: "logs an error's own words, which may be a customer's; use tellable",
    inTests: false,
  },
  {
    name: "named exports",
    pattern: /^export default\b/m,
    say: "has a default export; name it",
    inTests: true,
  },
  {
    name: "no any",
    pattern: /(?::|\bas|<|\|)\s*any\b\s*(?:[;,)>=|&[{]|$)/m,
    say: "uses any; say unknown and look",
    except: {
      "testing/fake-openai.ts": "tests read deep into a recorded body and say themselves what they expect",
    },
    inTests: true,
  },
];

export function brokenHouseRules(path: string, source: string): string[] {
  const code = withoutComments(source);
  const broken = HOUSE_RULES.filter(
    ({ pattern, inTests, except = {} }) =>
      (inTests || !isTest(path)) &&
      pattern.test(code) &&
      !Object.keys(except).some((name) => path.startsWith(name)),
  ).map(({ say }) => `${path} ${say}`);
  // These live in comments.
  if (/@ts-(?:ignore|nocheck)/.test(source)) broken.push(`${path} silences the compiler`);
  return broken;
}
