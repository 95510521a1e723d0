import { openai } from "@ai-sdk/openai";
import { generateText, isStepCount, tool } from "ai";
import { defineConfig } from "lull";
import { z } from "zod";

const tables = tool({
  description: "How many tables are free on a day of this week",
  inputSchema: z.object({ day: z.string() }),
  execute: async ({ day }) => ({ left: day.toLowerCase() === "friday" ? 2 : 0 }),
});

export default defineConfig({
  window: { quietSeconds: 4, maxSeconds: 20 },
  respond: async (turn) => {
    const past = await turn.history();
    const { text, usage } = await generateText({
      model: openai("gpt-6-luna"),
      instructions: "You take bookings for the Blue Door. Be brief.",
      messages: [
        ...past.map(({ role, text: content }) => ({ role, content })),
        { role: "user" as const, content: turn.text },
      ],
      tools: { tables },
      stopWhen: isStepCount(8),
      maxRetries: 0, // Lull tries again, and its pauses survive a restart
      abortSignal: turn.signal,
    });
    const { inputTokens: promptTokens = 0, outputTokens: completionTokens = 0 } = usage;
    return { text, usage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens } };
  },
});
