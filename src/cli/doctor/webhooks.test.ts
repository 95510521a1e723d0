import { expect, test } from "vitest";
import { load } from "../../config/load.ts";
import { aws } from "../../engines/aws/index.ts";
import { sqlite } from "../../engines/sqlite/index.ts";
import { toEnter, webhooksOf } from "./webhooks.ts";

test("the old path of a WATI bot is shown with the passkey's name, and never its value", async () => {
  const env = {
    LULL_PUBLIC_URL: "https://chat.example",
    LULL_ALIASES: "/webhook=wati",
    WATI_API_URL: "https://wati.example/7001",
    WATI_TOKEN: "a-token-of-wati",
    WATI_WEBHOOK_SECRET: "a-word-of-the-bot",
  };
  const where = { file: undefined, cwd: import.meta.dirname, flags: {}, engines: { sqlite, aws } };
  const loaded = await load({ ...where, env, purpose: "look" });
  const [wati] = loaded.channels.filter(({ name }) => name === "wati");
  const enter = toEnter(wati!, webhooksOf(loaded));
  expect(enter).toMatch(/; also at https:\/\/chat\.example\/webhook\?passkey=<WATI_WEBHOOK_SECRET>$/);
  expect(enter).not.toContain("a-word-of-the-bot");
});
