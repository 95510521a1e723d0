import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { LullError } from "../../src/errors.ts";
import { PHOTOGRAPHS } from "../docs/pictures/photographs.ts";
import { ROOT } from "../staged-package.ts";
import { CHROMIUM, Tab } from "./chromium.ts";
import { openStage, type Stage, WINDOW_MS } from "./stage.ts";

const ANSWER = "A table for two tomorrow: at what time, please?";
const LINES = ["Hi", "A table for two", "tomorrow"];

if (!CHROMIUM)
  throw new Error("LULL_TEST_BROWSER has to name a Chromium: LULL_TEST_BROWSER=/usr/bin/chromium");
for (const { file, width, scheme, shows } of PHOTOGRAPHS) {
  const [stage, tab] = [await openStage({ showsReasons: true }), await Tab.open()];
  try {
    await tab.look({ width: 1_280 }); // narrower, the page leaves the focus elsewhere
    await tab.go(stage.url);
    await brought(shows, stage, tab);
    await tab.look({ width, scheme });
    writeFileSync(join(ROOT, file), await tab.picture("jpeg"));
  } finally {
    await tab.close();
    await stage.close();
  }
  console.error(file);
}

/** What a visitor does, and the time that passes, until the page shows that. */
async function brought(to: (typeof PHOTOGRAPHS)[number]["shows"], stage: Stage, tab: Tab): Promise<void> {
  const presence = (words: string) => `document.getElementById("presence").textContent === "${words}"`;
  stage.respond =
    to === "answered"
      ? () => ANSWER
      : () => {
          const options = { code: "OPENAI_UNAVAILABLE", retry: "later", retryAfterMs: 12_000 } as const;
          throw new LullError("OpenAI answered 503", options);
        };
  for (const line of LINES) {
    await tab.write(line);
    await stage.passes(1_000);
  }
  await tab.until("a window", presence("listening"));
  if (to === "gathering") return;
  await stage.passes(WINDOW_MS);
  await tab.until("the end", presence(to === "answered" ? "answers after the lull" : "trying again"));
}
