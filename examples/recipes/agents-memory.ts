import { Agent, OpenAIProvider, Runner } from "@openai/agents";
import { defineConfig } from "lull";
import OpenAI from "openai";
import { turnMemory } from "./turn-memory.ts";

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
    const session = turnMemory(turn);
    const { finalOutput } = await runner.run(bookings, turn.text, { session, signal: turn.signal });
    return finalOutput ?? null;
  },
});
