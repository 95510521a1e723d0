import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Contents, fill } from "./large-file.ts";
import { openTurns } from "./store-turns.ts";

/** How much the large ones hold. */
export interface Scale {
  readonly conversations: number;
  /** Messages of a long conversation. */
  readonly longMessages: number;
}

/** Messages of a turn: what came in, and its reply. */
const PER_TURN = 2;
/** Some more than a thousand: those that warm up are not those that are measured. */
const FEW = 1_100;
const SHORT_MESSAGES = 10;
/** Turns that are taken at once. */
export const TOGETHER = 64;
/** More than the history that comes with a turn (50 messages), and no more. */
const MIDDLING_MESSAGES = 100;
/** Where the longer conversations begin in the file that has some. */
export const FIRST_MIDDLING = FEW;
export const FIRST_LONG = FEW + TOGETHER;

/** Files by what is in them. Each stands where `lull start` looks for it in a folder of its own. */
export interface ScaleFiles {
  readonly empty: string;
  readonly small: string;
  readonly large: string;
  readonly long: string;
}

export async function makeFiles(folder: string, scale: Scale): Promise<ScaleFiles> {
  const at = (name: string) => join(folder, name, "data/lull.db");
  const files = { empty: at("empty"), small: at("small"), large: at("large"), long: at("long") };
  for (const file of Object.values(files)) mkdirSync(dirname(file), { recursive: true });
  const turnsOf = new Map([
    ...someFrom(FIRST_MIDDLING, MIDDLING_MESSAGES),
    ...someFrom(FIRST_LONG, scale.longMessages),
  ]);
  await make(files.small, { conversations: FEW, turnsEach: 1 });
  await make(files.large, { conversations: scale.conversations, turnsEach: 1 });
  const turnsEach = SHORT_MESSAGES / PER_TURN;
  await make(files.long, { conversations: FEW + turnsOf.size, turnsEach, turnsOf });
  return files;
}

/** As many as are taken at once, with the turns behind each. */
function someFrom(first: number, messages: number): [conversation: number, turns: number][] {
  return Array.from({ length: TOGETHER }, (_, nth) => [first + nth, messages / PER_TURN]);
}

async function make(file: string, contents: Contents): Promise<void> {
  const turns = await openTurns(file);
  await turns.round([0]);
  await turns.close();
  fill(file, contents);
}

/** To measure on, over and over: in the file itself no conversation grows. */
export function copyOf(file: string): string {
  const copy = `${file}.copy`;
  copyFileSync(file, copy);
  return copy;
}
