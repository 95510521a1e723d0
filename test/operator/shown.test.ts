import { afterEach, expect, it } from "vitest";
import { eventually } from "../lull-process.ts";
import { type Desk, desk } from "./desk.ts";

let at: Desk;
afterEach(() => at.close());

async function show(): Promise<string> {
  const { items } = await (await at.lull.engine()).inspector.conversations({ limit: 1 });
  return (await at.type("conversations", "show", items[0]!.id)).out;
}

const showing = (what: string) =>
  eventually(what, async () => {
    const out = await show().catch(() => "");
    return out.includes(what) ? out : undefined;
  });

it("what was refused at its turn is told as without an answer, with why and what helps", async () => {
  at = await desk(() => "we are");
  await at.type("pause");
  await at.write("ana", "are you open?");
  await at.type("projects", "set", "default", "--status", "stopped");
  await at.type("resume");
  const out = await showing("NO ANSWER");
  expect(out).toMatch(
    /, refused: PROJECT_INACTIVE\n {2}wrote: are you open\?\n {2}the project.* lull projects/,
  );
});

it("what was refused as it came in is told with cause and next step", async () => {
  at = await desk(() => "we are");
  await at.write("ana", "are you open?");
  await showing("replied");
  await at.type("projects", "set", "default", "--status", "stopped");
  await at.write("ana", "hello?");
  expect((await at.type("refusals")).out).toMatch(/^PROJECT_INACTIVE: .*lull projects$/m);
  expect(await show()).toMatch(
    /^project default is \w+: .* lull projects reset default \(PROJECT_INACTIVE\)$/m,
  );
  expect((await at.type("status", "--port", "0")).out).toMatch(
    /^refused +1 in the last hour, last PROJECT_INACTIVE: lull refusals$/m,
  );
  expect(await show()).toMatch(/^PROJECT_INACTIVE: .*lull projects$/m);
  expect(await show()).toMatch(
    /^project default is \w+: .* lull projects reset default \(PROJECT_INACTIVE\)$/m,
  );
});

it("what a conversation's own record refuses is told apart from what its project does", async () => {
  at = await desk(() => "we are");
  await at.write("ana", "are you open?");
  await showing("replied");
  const engine = await at.lull.engine();
  const { items } = await engine.inspector.conversations({ limit: 1 });
  const change = { projectStatus: "suspended", allowedChannels: ["sms"] };
  await engine.conversations.change(items[0]!.id, change);
  const out = await show();
  expect(out).toMatch(
    /^its record has project_status suspended, so messages are refused \(PROJECT_INACTIVE\): /m,
  );
  expect(out).toMatch(
    /^its record has allowed_channels sms\n {2}so test is refused \(CHANNEL_NOT_ALLOWED\): /m,
  );
  expect(out).not.toContain("project default");
});

it("attributes are shown", async () => {
  at = await desk(() => "we are");
  await at.write("ana", "are you open?");
  await showing("replied");
  const engine = await at.lull.engine();
  const { items } = await engine.inspector.conversations({ limit: 1 });
  await engine.conversations.change(items[0]!.id, { attributes: { openai_thread_id: "thread_1" } });
  expect(await show()).toMatch(/ATTRIBUTES\nopenai_thread_id +thread_1/);
});

it("a message that was set aside leaves a trace in its conversation", async () => {
  at = await desk(() => "we are");
  await at.type("pause");
  await at.write("ana", "are you open?");
  at.spoil("UPDATE staged SET item = '{'");
  await at.type("resume");
  const out = await showing("NO ANSWER");
  expect(out).toMatch(
    /NO ANSWER\n.*, a row of staged that is not ours: .+\n {2}lull quarantine --json shows it/,
  );
  const [, command] = /once you have seen to it: lull (quarantine discard \S+)/.exec(out)!;
  expect((await at.type(...command!.split(" "))).out).toBe("1 discarded");
});

it("which project a conversation is in is told where there are several", async () => {
  const web = (name: string) => ({ channels: { [name]: { web: true, unsigned: true, address: name } } });
  at = await desk(() => "we are", {
    env: { LULL_CONFIG: JSON.stringify({ projects: { acme: web("acme-web"), beta: web("beta-web") } }) },
  });
  const asked = ["conversations", "create", "--channel", "acme-web", "--sender", "visitor-one"];
  expect((await at.type(...asked)).err).toBe("");
  expect(await show()).toMatch(/^in project acme$/m);
  await at.type("projects", "pause", "acme");
  expect(await show()).toMatch(/^project acme is paused: lull projects resume acme$/m);
  await at.type("projects", "pause", "beta");
  expect((await at.type("status", "--port", "0")).out).toMatch(/^paused +project beta \(nothing waits\)/m);
});

it("a record of another system may lack when it was created, and its type of channel", async () => {
  const channels = { chat: { web: true, unsigned: true } };
  at = await desk(() => "we are", { env: { LULL_CONFIG: JSON.stringify({ channels }) } });
  const asked = ["conversations", "create", "--channel", "chat", "--sender", "visitor-one"];
  expect((await at.type(...asked)).err).toBe("");
  expect(await show()).toMatch(/\ncreated (now|.* ago), 0 tokens$/m);
  at.spoil(`UPDATE conversations SET channel_type = '',
    record = json_set(record, '$.createdAtMs', 0, '$.channelType', '')`);
  expect(await show()).toMatch(/\nweb: visitor-one writes to .*\n0 tokens/);
});
