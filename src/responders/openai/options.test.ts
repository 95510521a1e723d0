import { expect, test, vi } from "vitest";
import { ConfigError } from "../../errors.ts";
import { openai } from "./openai.ts";
import { settingsFrom } from "./options.ts";

test("with nothing said, the key comes from OPENAI_API_KEY and the rest has defaults", async () => {
  const settings = settingsFrom({}, { OPENAI_API_KEY: "sk-env" });
  expect(settings).toMatchObject({
    model: "gpt-6-luna",
    instructions: "",
    toolRoundsMax: 8,
    media: "mention",
  });
  expect(settings.endpoint.href).toBe("https://api.openai.com/v1/responses");
  expect(await settings.secrets.get(settings.apiKey)).toBe("sk-env");
});

test("the environment may name model, instructions and address; options win over it", () => {
  const env = { OPENAI_MODEL: "m", LULL_INSTRUCTIONS: "i", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };
  expect(settingsFrom({}, env)).toMatchObject({ model: "m", instructions: "i" });
  expect(settingsFrom({}, env).endpoint.href).toBe("http://127.0.0.1:1/v1/responses");
  expect(settingsFrom({ model: "n", instructions: "j" }, env)).toMatchObject({
    model: "n",
    instructions: "j",
  });
});

test("variables that are set to nothing count as not set", () => {
  const settings = settingsFrom({}, { OPENAI_MODEL: "", OPENAI_BASE_URL: "" });
  expect(settings.model).toBe("gpt-6-luna");
  expect(settings.endpoint.host).toBe("api.openai.com");
});

test.each([
  ["http://127.0.0.1:1/v1/", "http://127.0.0.1:1/v1/responses"],
  ["http://127.0.0.1:1", "http://127.0.0.1:1/responses"],
  ["https://x.example/openai/v1?api-version=1", "https://x.example/openai/v1/responses?api-version=1"],
])("the address %s is completed to %s", (baseUrl, endpoint) => {
  expect(settingsFrom({ baseUrl }, {}).endpoint.href).toBe(endpoint);
});

test.each(["nonsense", "ftp://x.example", "https://ana:sesame@x.example"])(
  "an address that cannot work is refused at start and not repeated: %s",
  (baseUrl) => {
    expect(() => settingsFrom({ baseUrl }, {})).toThrow(ConfigError);
    expect(() => settingsFrom({ baseUrl }, {})).not.toThrow(baseUrl);
  },
);

test.each(["input", "stream", "background", "conversation", "previous_response_id"])(
  "the field %s is not the user's to set",
  (field) => {
    expect(() => settingsFrom({ body: { [field]: true } }, {})).toThrow(`body.${field}`);
  },
);

test("a limit that is no whole number is refused at start", () => {
  expect(() => settingsFrom({ toolRoundsMax: -1 }, {})).toThrow("toolRoundsMax");
  expect(() => settingsFrom({ historyMessagesMax: 1.5 }, {})).toThrow("historyMessagesMax");
});

test("what a conversation left at OpenAI is shown as the options say, else as the environment does", () => {
  expect(settingsFrom({}, {}).pastAtOpenAi).toBeUndefined();
  expect(settingsFrom({}, { LULL_OPENAI_PAST: "" }).pastAtOpenAi).toBeUndefined();
  const env = { LULL_OPENAI_PAST: "first-turn" };
  expect(settingsFrom({}, env).pastAtOpenAi).toBe("first-turn");
  expect(settingsFrom({ pastAtOpenAi: "every-turn" }, env).pastAtOpenAi).toBe("every-turn");
  expect(() => settingsFrom({}, { LULL_OPENAI_PAST: "always" })).toThrow("first-turn or every-turn");
  expect(() => settingsFrom({ historyMessagesMax: 0 }, env)).toThrow("historyMessagesMax is 0");
});

test("openai() reads the environment of the process", () => {
  vi.stubEnv("OPENAI_BASE_URL", "nonsense");
  expect(() => openai()).toThrow(ConfigError);
  vi.unstubAllEnvs();
});
