import { expect, it } from "vitest";
import { settingsWith } from "./defaults.ts";
import { projectAt } from "./projects.ts";

const window = { kind: "fixed", lengthMs: 10_000 } as const;
const ACTIVE = { status: "active" } as const;
const settings = settingsWith({
  channels: {
    "acme-sms": { type: "sms", window, project: "acme", addresses: ["+15550100"] },
    "beta-sms": { type: "sms", window, project: "beta", addresses: ["+15550200"] },
    "acme-whatsapp": { type: "whatsapp", window, project: "acme", addresses: ["+15550300"] },
  },
  projects: { acme: ACTIVE, beta: ACTIVE },
});
const at = (channelType: string, address: string) => projectAt(settings, { channelType, address });

it("an address is the project's whose channel has it", () => {
  expect(at("sms", "+15550100")).toBe("acme");
  expect(at("sms", "+15550200")).toBe("beta");
  expect(at("sms", "+15550999")).toBeUndefined();
  expect(at("email", "+15550100")).toBeUndefined();
});

it("a record without an address is the project's that alone has its type, and of several none's", () => {
  expect(at("whatsapp", "")).toBe("acme");
  expect(at("sms", "")).toBeUndefined();
});

it("a record without a type is the project's that alone has its address, or all channels", () => {
  expect(at("", "+15550200")).toBe("beta");
  expect(at("", "")).toBeUndefined();
  const channels = { web: { type: "web", window, project: "acme" } };
  const one = settingsWith({ channels, projects: { acme: ACTIVE, beta: ACTIVE } });
  expect(projectAt(one, { channelType: "", address: "" })).toBe("acme");
});
