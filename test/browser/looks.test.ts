import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LullError } from "../../src/errors.ts";
import { CHROMIUM, type Look, PICTURES, Tab } from "./chromium.ts";
import { openStage, type Stage, WINDOW_MS } from "./stage.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WIDTHS = [390, 820, 1280];
const LOOKS: readonly Look[] = WIDTHS.flatMap((width) => [
  { width, scheme: "light" },
  { width, scheme: "dark" },
]);

const textOf = (id: string) => `document.getElementById("${id}").textContent`;
const presence = (words: string) => `${textOf("presence")} === "${words}"`;
const click = (id: string) => `document.getElementById("${id}").click()`;
const isOpen = `document.getElementById("sheet").open`;
const ROWS = `[...document.querySelectorAll(".event .what")].map((each) =>
  [...each.querySelectorAll("b, b + span")].map((part) => part.textContent).join(" ").trim()).reverse()`;
const COMMANDS = `[...document.querySelectorAll(".help:not(.hidden) code")].map((each) => each.textContent)`;

const REASON = "OPENAI_UNAUTHORIZED: OpenAI answered 401: the key was refused";
const fail = (retry: "later" | "never") => () => {
  const [code, message] = [REASON.slice(0, REASON.indexOf(":")), REASON.slice(REASON.indexOf(":") + 2)];
  throw new LullError(message, { code, retry, ...(retry === "later" && { retryAfterMs: 12_000 }) });
};

let stage: Stage;
let tab: Tab;

async function open(showsReasons = true): Promise<void> {
  stage = await openStage({ showsReasons });
  await tab.go(stage.url);
}

/** Two lines, and the wait for the lull is over. */
async function burst(): Promise<void> {
  for (const line of ["are you open?", "for two, at eight"]) await tab.write(line);
  await tab.until("both are there", `${textOf("state-count")} === "2 messages"`);
  await stage.passes(WINDOW_MS);
}

/** What axe finds wrong with what is on the screen now. */
async function violations(): Promise<unknown> {
  return tab.evaluate(`axe.run(document).then(({ violations }) => violations.map(({ id, nodes }) =>
    [id, ...nodes.map(({ target, failureSummary }) => target + ": " + failureSummary)]))`);
}

async function keepPicture(name: string, { width, scheme }: Look): Promise<void> {
  if (!PICTURES) return;
  await mkdir(PICTURES, { recursive: true });
  await writeFile(join(PICTURES, `${name}-${width}-${scheme}.png`), await tab.picture());
}

/** Wide and narrow, light and dark, with the timeline open where it is behind a button. */
async function lookAt(name: string): Promise<void> {
  await tab.evaluate(`${AXE};0`);
  for (const look of LOOKS) {
    await tab.look(look);
    await keepPicture(name, look);
    expect({ look, found: await violations() }).toEqual({ look, found: [] });
    if (look.width >= 960) continue;
    await tab.evaluate(click("open-panel"));
    await tab.until("the sheet", isOpen);
    await keepPicture(`${name}-sheet`, look);
    expect({ look, sheet: await violations() }).toEqual({ look, sheet: [] });
    await tab.press("Escape");
    await tab.until("no sheet", `!${isOpen}`);
  }
}

describe.skipIf(!CHROMIUM)("the phone, looked at", () => {
  beforeEach(async () => {
    tab = await Tab.open();
    await tab.look({ width: 1280 });
  });
  afterEach(async () => {
    await tab.close();
    await stage.close();
  });

  test("empty, gathering, answering and answered", async () => {
    await open();
    await lookAt("empty");
    for (const line of ["are you open?", "for two, at eight"]) await tab.write(line);
    await tab.until("a window", presence("listening"));
    await lookAt("gathering");
    let answer = (_text: string) => {};
    stage.respond = () => new Promise<string>((resolve) => (answer = resolve));
    await stage.passes(WINDOW_MS);
    await tab.until("a turn", presence("typing…"));
    await lookAt("answering");
    answer("We are, until eleven. A table for two at eight: may I have a name?");
    await tab.until("an answer", presence("answers after the lull"));
    await lookAt("answered");
    expect(tab.errors).toEqual([]);
  });

  test("a responder that fails: every try and its reason stay in sight, until one answers", async () => {
    await open();
    stage.respond = fail("later");
    await burst();
    await tab.until("a failure", presence("trying again"));
    expect(await tab.evaluate(textOf("state-text"))).toBe(`no answer yet, trying again in 12 s: ${REASON}`);
    expect(await tab.evaluate(ROWS)).toEqual([
      "message saved “are you open?”",
      "message saved “for two, at eight”",
      "waiting for the lull: 10 s",
      "asked for an answer",
      `failed: ${REASON}, tried again in 12 s`,
    ]);
    await lookAt("failing");
    await stage.passes(12_000);
    await tab.until("a second", `${ROWS}.some((row) => row.startsWith("failed, try 2:"))`);
    stage.respond = () => "We are.";
    await stage.passes(12_000);
    await tab.until("calm", presence("answers after the lull"));
    const rows = await tab.evaluate<string[]>(ROWS);
    expect(rows.filter((row) => row.startsWith("failed"))).toEqual([
      `failed: ${REASON}, tried again`,
      `failed, try 2: ${REASON}, tried again`,
    ]);
    expect(rows.slice(-2)).toEqual([
      "asked for an answer with 2 messages, try 3",
      "answered once 2 messages",
    ]);
  });

  test("what failed for good says why, and the command that helps; a good answer calms it", async () => {
    await open();
    stage.respond = fail("never");
    await burst();
    await tab.until("the end", presence("could not answer"));
    expect(await tab.evaluate(textOf("state-text"))).toBe(`could not be answered: ${REASON}`);
    expect((await tab.evaluate<string[]>(ROWS)).slice(-2)).toEqual([
      "asked for an answer",
      `failed for good: ${REASON}, after 1 try`,
    ]);
    expect(await tab.evaluate(COMMANDS)).toEqual([expect.stringMatching(/^npx lull dead retry \S+$/)]);
    await lookAt("dead");
    stage.respond = () => "We are.";
    await tab.write("hello?");
    await tab.until("a window", presence("listening"));
    await stage.passes(WINDOW_MS);
    await tab.until("calm", presence("answers after the lull"));
  });

  test("an answer that may not have arrived", async () => {
    await open();
    stage.saysWhetherSent = false;
    await burst();
    await tab.until("a question", presence("trying again"));
    await stage.passes(60_000);
    await tab.until("doubt", presence("not sure that it arrived"));
    expect(await tab.evaluate(textOf("state-text"))).toBe("the answer may not have arrived");
    expect(await tab.evaluate(COMMANDS)).toEqual([expect.stringMatching(/^npx lull unknown resend \S+$/)]);
    await lookAt("unknown");
  });

  test("a public visitor reads that there is no answer, and nothing of why", async () => {
    await open(false);
    stage.respond = fail("never");
    await burst();
    await tab.until("the end", presence("could not answer"));
    expect(await tab.evaluate(textOf("state-text"))).toBe("could not be answered");
    expect(await tab.evaluate("document.body.innerText")).not.toMatch(/OPENAI|npx/);
    await lookAt("dead-public");
  });

  test("a service that is away", async () => {
    await open();
    await burst();
    await tab.until("an answer", presence("answers after the lull"));
    await stage.close();
    await tab.write("anyone?");
    await tab.until("away", presence("not reachable"));
    await lookAt("away");
  });

  test("on a phone the timeline opens over the chat, keeps the focus, and gives it back", async () => {
    await open();
    await tab.look({ width: 390 });
    await burst();
    await tab.until("an answer", presence("answers after the lull"));
    // Nothing is drawn for a panel that is not in sight.
    expect(await tab.evaluate(ROWS)).toEqual([]);
    await tab.evaluate(`document.getElementById("open-panel").focus()`);
    await tab.press("Enter");
    await tab.until("the sheet", `${isOpen} && ${ROWS}.length > 3`);
    const inSheet = `document.getElementById("sheet").contains(document.activeElement)`;
    const [focused, id] = [`document.activeElement.id`, textOf("conversation-id")];
    expect([await tab.evaluate(focused), await tab.evaluate(inSheet)]).toEqual(["close-panel", true]);
    expect(await tab.evaluate(textOf("show-command"))).toBe(
      `npx lull conversations show ${await tab.evaluate(id)}`,
    );
    await tab.press("Escape");
    await tab.until("no sheet", `!${isOpen}`);
    expect(await tab.evaluate(focused)).toBe("open-panel");
    await tab.evaluate(click("open-panel"));
    await tab.look({ width: 1280 });
    await tab.until(
      "the panel beside the phone",
      `!${isOpen} && document.querySelector(".aside .panel") !== null`,
    );
  });
});
