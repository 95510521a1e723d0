import { expect, it } from "vitest";
import { settingsWith } from "./defaults.ts";
import { changedProject, cutTo, partsSet, projectAt, settingsFor } from "./projects.ts";

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

it("an address that no channel has any more is the only project's, and of several nobody's", () => {
  const acme = { type: "sms", window, project: "acme", addresses: ["+15550100"] };
  const projects = { default: ACTIVE, acme: ACTIVE };
  const old = { channelType: "sms", address: "+15550999" };
  expect(projectAt(settingsWith({ channels: { acme }, projects }), old)).toBe("acme");
  expect(projectAt(settingsWith({}), old)).toBe("default");
  const fax = { type: "fax", window };
  expect(projectAt(settingsWith({ channels: { acme, fax }, projects }), old)).toBeUndefined();
});

const differing = settingsWith({
  ...{ stagedMessagesMax: 5, busyText: "wait" },
  channels: {
    "acme-sms": { type: "sms", window, project: "acme" },
    "beta-sms": { type: "sms", window, project: "beta" },
    sms: { type: "sms", window },
  },
  projects: { acme: { ...ACTIVE, own: { stagedMessagesMax: 2 } }, beta: ACTIVE },
});

it("what a project sets itself counts there alone, and what it leaves out is as for all", () => {
  expect(settingsFor(differing, "acme-sms")).toMatchObject({ stagedMessagesMax: 2, busyText: "wait" });
  for (const channel of ["beta-sms", "sms", "of-another-process", undefined])
    expect(settingsFor(differing, channel)).toMatchObject({ stagedMessagesMax: 5, busyText: "wait" });
});

it("a message makes no settings anew, nor does one project's differ between two looks", () => {
  for (const channel of ["acme-sms", "beta-sms", "sms", undefined])
    expect(settingsFor(differing, channel)).toBe(settingsFor(differing, channel));
});

it("code that does not say whose settings it means does not compile", () => {
  // @ts-expect-error: it is a project's, and reached by `settingsFor`.
  expect(differing.stagedMessagesMax).toBeUndefined();
  // @ts-expect-error: likewise.
  expect(differing.busyText).toBeUndefined();
  // @ts-expect-error: nor does a project's name stand for a value.
  const limit: number = differing.own.stagedMessagesMax;
  expect(limit).toBeUndefined();
});

it("a shorter time counts in every project, and a longer one in none", () => {
  const cut = cutTo(differing, { answerTimeoutMs: 1_000, sendTimeoutMs: Number.POSITIVE_INFINITY });
  for (const channel of ["acme-sms", "beta-sms", "sms"])
    expect(settingsFor(cut, channel)).toEqual({ ...settingsFor(differing, channel), answerTimeoutMs: 1_000 });
  expect(cut.sendTimeoutMs).toBe(differing.sendTimeoutMs);
});

const all = { status: "stopped", allowedChannels: ["sms"], paused: true } as const;

it.each([
  { change: undefined, parts: ["status", "allowedChannels"], left: { paused: true } },
  { change: { paused: false }, parts: ["paused"], left: { status: "stopped", allowedChannels: ["sms"] } },
  { change: { paused: true }, parts: ["paused"], left: all },
  { change: { allowedChannels: null }, parts: ["allowedChannels"], left: { ...all, allowedChannels: null } },
  { change: {}, parts: [], left: all },
])("a change $change names the parts $parts, and leaves the others", ({ change, parts, left }) => {
  expect(Object.keys(partsSet(change))).toEqual(parts);
  expect(changedProject(all, change)).toEqual(left);
});

it("where nothing is left of what was set, nothing is set", () => {
  expect(changedProject({ paused: true }, { paused: false })).toBeUndefined();
  expect(changedProject({ status: "stopped" }, undefined)).toBeUndefined();
  expect(changedProject(undefined, undefined)).toBeUndefined();
});
