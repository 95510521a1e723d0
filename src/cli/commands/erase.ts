import type { PersonErased, PersonFound } from "../../runtime/people.ts";
import { type Call, type Command, textOption } from "../command.ts";
import { withData } from "../data.ts";
import { nameShown } from "../output/customer.ts";
import { printResult } from "../output/print.ts";
import { countLines, nothingOf, otherLines, placeLines } from "../people/counts.ts";
import { looking, PERSON_OPTIONS, personIn, quoted, rightsWithin } from "../people/request.ts";
import { CommandFailed, UsageError } from "../usage-error.ts";

export const erase: Command = {
  usage: "--customer <address> --yes",
  about:
    "Erases a person from every conversation, at each of your addresses and under each of their names: " +
    "messages, turns, what waits, drafts, dead letters, unknown sends, refusals, rows that were set aside. " +
    "Without --yes it tells what would go. " +
    "Only salted hashes of message ids stay for the dedupe time. " +
    "A run that was stopped is finished by the same command. It cannot be undone, except from a backup.",
  options: {
    ...PERSON_OPTIONS,
    yes: { type: "boolean", help: "yes, erase them" },
    "dry-run": { type: "boolean", help: "only tell what would go" },
  },
  examples: ["lull erase --customer +15550100", "lull erase --customer +15550100 --project acme --yes"],
  run: async (call) => {
    const person = personIn(call);
    if (call.options.yes === true && call.options["dry-run"] === true)
      throw new UsageError("give --yes or --dry-run, not both");
    return withData(call, async ({ lull, engine }) => {
      const rights = await rightsWithin(call, lull);
      const { options, end } = looking(call);
      if (call.options.yes !== true) {
        const found = await rights.findPerson(person, options).finally(end);
        return told(call, person.customer, found);
      }
      const erased = await rights.erasePerson(person, options).finally(end);
      const traces =
        erased.result === "erasing"
          ? (await engine.checks?.())?.find(({ check }) => check === "erased")?.detail
          : undefined;
      return done(call, person.customer, erased, traces);
    });
  },
};

/** What would go. Without --dry-run it is the question. */
function told(call: Call, customer: string, found: PersonFound): number {
  const { places, kept, others } = found;
  const isNothing = Object.keys(kept).length === 0;
  const lines = isNothing
    ? [nothingOf(customer), ...otherLines(others)]
    : [
        `Of ${nameShown(customer)} is kept:`,
        ...countLines(kept),
        ...placeLines({ places }),
        ...otherLines(others),
      ];
  if (call.options["dry-run"] === true || isNothing) {
    printResult(call, { customer, kept, places, others }, lines.join("\n"));
    return 0;
  }
  const narrowed = ["project", "channel"].flatMap((name) => {
    const value = textOption(call, name);
    return value === undefined ? [] : [`--${name} ${quoted(value)}`];
  });
  const command = ["lull erase --customer", quoted(customer), ...narrowed, "--yes"].join(" ");
  throw new UsageError(`this cannot be undone.\n${lines.join("\n")}\nTo go on: ${command}`);
}

function done(call: Call, customer: string, erased: PersonErased, traces: string | undefined): number {
  const { result, removed, left, others } = erased;
  const isLeft = Object.keys(left).length > 0;
  const lines =
    result === "not-found"
      ? [nothingOf(customer), ...otherLines(others)]
      : [
          `${nameShown(customer)} is erased${traces === undefined ? "" : `, but ${traces}`}. This is gone:`,
          ...countLines(removed),
          ...otherLines(others),
          BACKUPS,
          SYSTEM_BEFORE,
        ];
  printResult(call, { customer, ...erased, ...(traces !== undefined && { traces }) }, lines.join("\n"));
  if (isLeft)
    throw new CommandFailed(
      ["the person goes on writing, and this is there again:", ...countLines(left), "Run it once more"].join(
        "\n",
      ),
    );
  return 0;
}

const BACKUPS =
  "Backups that were made before hold the person. Delete them by your own rules, and\n" +
  "where one is restored, run this once more.";
const SYSTEM_BEFORE =
  "What the system before Lull holds is not reached, and a move from there may bring\n" +
  "the person back: docs/moving-in.md#who-was-erased-meanwhile";
