export { openai } from "./openai.ts";
export type { OpenAiAssistant, OpenAiOptions } from "./options.ts";
export type { OpenAiTool, OpenAiTools } from "./tools.ts";
