import { AIMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import { StringOutputParser } from "@langchain/core/output_parsers";
import { ChatOpenAI } from "@langchain/openai";
import { defineConfig } from "lull";

const model = new ChatOpenAI({ model: "gpt-6-luna", maxRetries: 0 });
const chain = model.pipe(new StringOutputParser());

export default defineConfig({
  window: { quietSeconds: 4, maxSeconds: 20 },
  respond: async (turn) => {
    const past = await turn.history();
    return chain.invoke(
      [
        new SystemMessage("You take bookings for the Blue Door. Be brief."),
        ...past.map(({ role, text }) => (role === "user" ? new HumanMessage(text) : new AIMessage(text))),
        new HumanMessage(turn.text),
      ],
      { signal: turn.signal },
    );
  },
});
