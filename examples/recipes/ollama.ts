import { defineConfig } from "lull";
import { Ollama } from "ollama";

const host = process.env.OLLAMA_HOST ?? "http://127.0.0.1:11434";

export default defineConfig({
  window: { quietSeconds: 4, maxSeconds: 20 },
  limits: { concurrency: 2 }, // as many answers at once as the machine can make
  respond: async (turn) => {
    // A client for each turn: Ollama's takes no signal, but a fetch of ours.
    const ollama = new Ollama({ host, fetch: (url, init) => fetch(url, { ...init, signal: turn.signal }) });
    const past = await turn.history();
    const { message } = await ollama.chat({
      model: process.env.OLLAMA_MODEL ?? "llama3.2",
      messages: [
        { role: "system", content: "You take bookings for the Blue Door. Be brief." },
        ...past.map(({ role, text: content }) => ({ role, content })),
        { role: "user", content: turn.text },
      ],
    });
    return message.content;
  },
});
