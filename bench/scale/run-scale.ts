import { dirname } from "node:path";
import { freePort } from "../free-port.ts";
import { removeFolder, temporaryFolder } from "../left-behind.ts";
import { START } from "../servers.ts";
import { atRandom, compareTurns, inOrder, type Pair, type Picks, type Side, the } from "./compare-turns.ts";
import {
  copyOf,
  FIRST_LONG,
  FIRST_MIDDLING,
  makeFiles,
  type Scale,
  type ScaleFiles,
  TOGETHER,
} from "./scale-files.ts";
import type { Compared } from "./scale-results.ts";

const ROUNDS = { alone: 60, together: 14 };
/** The first conversation that is measured: alone, and where many are taken at once. */
const FROM = { alone: 1_000, together: 100 };
const RATIO_MAX = { of: "ratio", value: 1.2 } as const;
const READY_MS_MAX = { of: "large", value: 500 } as const;

/** A figure of both, in one repetition. */
type Row = Pair<number> & Pick<Compared, "about" | "atMost">;

/** Start, turns among many conversations, turns in long ones: each beside the same where little is stored. */
export async function runScale(
  scale: Scale,
  repetitions: number,
  onProgress: (line: string) => void,
): Promise<readonly Compared[]> {
  const folder = temporaryFolder("lull-scale-");
  try {
    onProgress("making the files");
    const files = await makeFiles(folder, scale);
    const all: Row[][] = [];
    while (all.length < repetitions) {
      all.push([...(await starts(files, scale)), ...(await turns(files, scale))]);
      onProgress(`${all.length}/${repetitions}`);
    }
    return togetherBy(all);
  } finally {
    removeFolder(folder);
  }
}

/** The real program, from its first process to the line that says that it listens; then killed. */
async function starts({ empty, large }: ScaleFiles, { conversations }: Scale): Promise<Row[]> {
  const readyMs = async (file: string) => {
    const folder = dirname(dirname(file));
    const place = { folder, port: await freePort(), windowMs: 10_000, fakesUrl: "http://127.0.0.1:9" };
    const server = await START.lull({ ...place, isKilled: true });
    await server.kill();
    return server.readyMs;
  };
  const about = `start to ready, ms: an empty file, one of ${told(2 * conversations)} messages`;
  return [{ about, small: await readyMs(empty), large: await readyMs(large), atMost: READY_MS_MAX }];
}

async function turns(files: ScaleFiles, scale: Scale): Promise<Row[]> {
  const copies = { small: copyOf(files.small), long: copyOf(files.long) };
  const rows: Row[] = [];
  for (const how of ["alone", "together"] as const) {
    const words = how === "alone" ? "a turn by itself" : `a turn among ${TOGETHER} at once`;
    for (const { about, ...sides } of comparisons(files, copies, scale, how))
      rows.push(...(await compared(`${words}, ${about}`, ROUNDS[how], sides)));
  }
  return rows;
}

function comparisons(
  { large, long }: ScaleFiles,
  copies: Pick<ScaleFiles, "small" | "long">,
  { conversations, longMessages }: Scale,
  how: "alone" | "together",
): (Pair<Side> & { readonly about: string })[] {
  const atOnce = how === "alone" ? 1 : TOGETHER;
  const few = { warmUp: the(1, atOnce), pick: inOrder(FROM[how], atOnce) };
  const longOnes = { file: long, ...always(the(FIRST_LONG, atOnce)) };
  const within = `messages and ${told(longMessages)} in its conversation`;
  return [
    {
      about: `1,000 conversations and ${told(conversations)}`,
      small: { file: copies.small, ...few },
      large: { file: large, ...always(atRandom(conversations, atOnce)) },
    },
    { about: `10 ${within}`, small: { file: copies.long, ...few }, large: longOnes },
    {
      about: `100 ${within}`,
      small: { file: copies.long, ...always(the(FIRST_MIDDLING, atOnce)) },
      large: longOnes,
    },
  ];
}

function always(pick: Picks): Pick<Side, "warmUp" | "pick"> {
  return { warmUp: pick, pick };
}

async function compared(about: string, rounds: number, sides: Pair<Side>): Promise<Row[]> {
  const { small, large } = await compareTurns(sides, rounds);
  const row = (what: string, of: "cpuMs" | "wallMs"): Row => ({
    about: `${about}: ${what}, ms`,
    ...{ small: small[of], large: large[of], atMost: RATIO_MAX },
  });
  return [row("CPU of the store's threads", "cpuMs"), row("time", "wallMs")];
}

function togetherBy(repetitions: readonly (readonly Row[])[]): Compared[] {
  return (repetitions[0] ?? []).map(({ about, atMost }, at) => ({
    about,
    small: repetitions.map((rows) => rounded(rows[at]?.small)),
    large: repetitions.map((rows) => rounded(rows[at]?.large)),
    ...(atMost && { atMost }),
  }));
}

/** Digits beyond these are noise, and results are kept under version control. */
function rounded(value = 0): number {
  return Number(value.toPrecision(4));
}

function told(count: number): string {
  return count.toLocaleString("en");
}
