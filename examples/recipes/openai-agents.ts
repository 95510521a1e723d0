import { Agent, assistant, OpenAIProvider, Runner, user } from "@openai/agents";
import { defineConfig } from "lull";
import OpenAI from "openai";

// The key: OPENAI_API_KEY.
const modelProvider = new OpenAIProvider({ openAIClient: new OpenAI({ maxRetries: 0 }) });
const runner = new Runner({ modelProvider, tracingDisabled: true });

const bookings = new Agent({
  name: "Bookings",
  model: "gpt-6-luna",
  instructions: "You take bookings for the Blue Door. Be brief.",
  modelSettings: { store: false },
});

export default defineConfig({
  window: { quietSeconds: 4, maxSeconds: 20 },
  respond: async (turn) => {
    const past = await turn.history();
    const said = past.map(({ role, text }) => (role === "user" ? user(text) : assistant(text)));
    const { finalOutput } = await runner.run(bookings, [...said, user(turn.text)], { signal: turn.signal });
    return finalOutput ?? null;
  },
});
