import Anthropic from "@anthropic-ai/sdk";
import { defineConfig } from "lull";

const claude = new Anthropic({ maxRetries: 0 }); // the key: ANTHROPIC_API_KEY

export default defineConfig({
  window: { quietSeconds: 4, maxSeconds: 20 },
  respond: async (turn) => {
    const past = (await turn.history()).filter(({ text }) => text !== "");
    const answer = await claude.messages.create(
      {
        model: process.env.ANTHROPIC_MODEL ?? "claude-sonnet-5",
        max_tokens: 1_000,
        system: "You take bookings for the Blue Door. Be brief.",
        messages: [
          ...past.map(({ role, text }) => ({ role, content: text })),
          { role: "user", content: turn.text || "(a file, without words)" }, // an empty text is refused
        ],
      },
      { signal: turn.signal },
    );
    const text = answer.content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
    const { input_tokens: promptTokens, output_tokens: completionTokens } = answer.usage;
    return { text, usage: { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens } };
  },
});
