import { expect, test } from "vitest";
import { load } from "../../config/load.ts";
import { aws } from "../../engines/aws/index.ts";
import { sqlite } from "../../engines/sqlite/index.ts";
import { checkWebhooks } from "./webhooks.ts";

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
  const found = await checkWebhooks(loaded, loaded.channels);
  const enter = found.find(({ check }) => check === "webhook wati");
  expect(enter?.detail).toMatch(/; also at https:\/\/chat\.example\/webhook\?passkey=<WATI_WEBHOOK_SECRET>$/);
  expect(JSON.stringify(found)).not.toContain("a-word-of-the-bot");
});
