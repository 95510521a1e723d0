import { expect, test } from "vitest";
import { nextSteps } from "./next-steps.ts";

const CHOICES = { channel: "web", responder: "echo", engine: "sqlite", deploy: "none" } as const;

test.each([
  ["/home/ana/bot", "npm pack ../lull "],
  ["/home/ana", "npm pack ./lull "],
])("the clone is named by its path, which npm takes for no package's name: from %s", (folder, command) => {
  const source = { kind: "to-pack", folder: "/home/ana/lull" } as const;
  const plan = { testCommand: "npm test", isToInstall: true };
  const [first] = nextSteps({ path: "", folder, choices: CHOICES, plan, source });
  expect(first?.startsWith(command), first).toBe(true);
});
