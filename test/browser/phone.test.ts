import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { LullProcess } from "../lull-process.ts";
import { CHROMIUM, Tab } from "./chromium.ts";

const TEXTS = `[...document.querySelectorAll(".item .bubble")].map((each) => each.firstChild.textContent)`;
const EVENTS = `[...document.querySelectorAll(".event .what b")].map((each) => each.textContent)`;
const textOf = (id: string) => `document.getElementById("${id}").textContent`;
const count = (selector: string, number: number) =>
  `document.querySelectorAll("${selector}").length === ${number}`;

let cwd: string;
let lull: LullProcess;
let url: string;
let tab: Tab;

async function start(port = "0"): Promise<void> {
  lull = new LullProcess(["dev"], { cwd, env: { PORT: port, LULL_WINDOW_SECONDS: "3" } });
  url = await lull.url();
}
async function kill(): Promise<void> {
  lull.kill("SIGKILL");
  await lull.gone();
}
async function replies(number: number): Promise<void> {
  await tab.until(`${number} replies`, `${count(".item.in", number)} && ${count(".item.waiting", 0)}`);
}

/** What needs no screen is tested in `web`: this needs a Chromium, which npm does not bring. */
describe.skipIf(!CHROMIUM)("the phone in a browser", () => {
  beforeEach(async () => {
    cwd = await mkdtemp(join(tmpdir(), "lull-browser-"));
    await start();
    tab = await Tab.open();
    await tab.look({ width: 1280 });
    await tab.go(url);
  });
  afterEach(async () => {
    await tab.close();
    await kill();
    await rm(cwd, { recursive: true, force: true });
  });

  test("three lines get one reply, also after a reload, and nothing is asked for elsewhere", async () => {
    for (const line of ["hi", "a table", "for two"]) await tab.write(line);
    await replies(1);
    const said = ["hi", "a table", "for two", "3 messages, one answer:\nhi\na table\nfor two"];
    expect(await tab.evaluate(TEXTS)).toEqual(said);
    expect(await tab.evaluate(textOf("tally"))).toBe("3 messages in, 1 reply out");
    const [last, before] = await tab.evaluate<string[]>(EVENTS);
    expect([last, before]).toEqual(["answered once", "asked for an answer"]);
    await tab.go(url);
    await replies(1);
    expect(await tab.evaluate(TEXTS)).toEqual(said);
    expect(tab.asked.filter((each) => !each.startsWith(url) && !each.startsWith("data:"))).toEqual([]);
    expect(tab.errors).toEqual([]);
  });

  test("what is written while the service is dead waits in sight, and is answered later", async () => {
    await kill();
    await tab.write("anyone?");
    await tab.until("what waits", `${textOf("state-count")} === "1 waiting"`);
    expect(await tab.evaluate(`document.getElementById("state").dataset.state`)).toBe("trouble");
    await start(new URL(url).port);
    await replies(1);
    expect(await tab.evaluate(TEXTS)).toEqual(["anyone?", "You said: anyone?"]);
  });

  test("a new customer starts with an empty chat, and may pick an example", async () => {
    await tab.write("hi");
    await replies(1);
    await tab.evaluate(`document.getElementById("fresh").click()`);
    expect(await tab.evaluate(TEXTS)).toEqual([]);
    expect(await tab.evaluate("document.activeElement.id")).toBe("text");
    await tab.evaluate(`document.querySelector("#chips button:nth-child(3)").click()`);
    await replies(1);
    expect(await tab.evaluate(TEXTS)).toEqual(["for two", "You said: for two"]);
  });

  test("a link with a made-up proof changes no visitor: its maker would read along", async () => {
    const kept = `JSON.parse(localStorage.getItem("lull.phone.web")).visitor`;
    await tab.write("hi");
    await replies(1);
    const before = await tab.evaluate<string>(kept);
    for (const page of ["?again", "?once-more"]) {
      await tab.go(`${url}${page}#sender=visitor-of-a-stranger&signature=made-up`);
      await replies(1);
      expect([await tab.evaluate(kept), await tab.evaluate("location.hash")]).toEqual([before, ""]);
      expect(await tab.evaluate(TEXTS)).toEqual(["hi", "You said: hi"]);
    }
  });
});
