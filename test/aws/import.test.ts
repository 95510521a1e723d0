import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { awsResources } from "../../tools/aws-local/aws-resources.ts";
import { eventually } from "../lull-process.ts";
import { type Surroundings, surroundings } from "../service/surroundings.ts";
import { describeOnEmulators } from "./describe-on-emulators.ts";

/** From one machine to AWS, as docs/aws.md says. */
describeOnEmulators("moving from SQLite", (emulators) => {
  let at: Surroundings;
  let aws: Readonly<Record<string, string>>;
  afterEach(() => at.end());

  async function importFile(file = at.env.LULL_DB as string) {
    const asked = at.lull("import", file, "--json");
    const { code } = await asked.gone();
    return { code, said: code === 0 ? JSON.parse(asked.stdout) : asked.stderr };
  }

  /** What the model was shown in its latest request, as `role: text`. */
  function shown(): string[] {
    const input = at.openai.asked.at(-1)?.body.input as { role: string; content: unknown }[];
    return input.map(({ role, content }) => {
      const parts = Array.isArray(content) ? content.map(({ text }) => text).join("") : content;
      return `${role}: ${parts}`;
    });
  }

  async function answered(sends: number): Promise<void> {
    await at.twilio.whenSent(sends);
  }

  it("takes conversations along: the model goes on where it was, and nothing is answered twice", async () => {
    aws = (await awsResources(emulators)).env;
    at = await surroundings();
    const before = await at.start(1);
    const first = await at.write(1, "a table for two");
    await at.write(2, "another customer");
    await answered(2);
    before.kill("SIGTERM");
    await before.gone();

    Object.assign(at.env, aws);
    expect(await importFile()).toEqual({ code: 0, said: { conversations: 2 } });
    // Again: what is there stays as it is.
    expect(await importFile()).toEqual({ code: 0, said: { conversations: 2 } });

    await at.start(1);
    expect((await at.write(1, "a table for two", { sid: first.sid })).status).toBe(200);
    await at.write(1, "at eight");
    await answered(3);
    expect(shown()).toEqual([
      "user: a table for two",
      "assistant: answer to: a table for two",
      "user: at eight",
    ]);
    const { items } = (await at.api("/conversations?search=00001")) as { items: { id: string }[] };
    expect(items).toHaveLength(1);
    const { turns, messages } = await eventually("the turn's commit", async () => {
      const detail = (await at.api(`/conversations/${items[0]?.id}`)) as Record<string, unknown[]>;
      return detail.turns?.length === 2 ? detail : undefined;
    });
    expect([turns?.length, messages?.length]).toEqual([2, 4]);
    expect(await at.api("/counts")).toMatchObject({ conversations: 2, dead: 0, unknown: 0 });

    // A third time, when the conversation has gone on here: its own turn and record stay.
    expect(await importFile()).toEqual({ code: 0, said: { conversations: 2 } });
    await at.write(1, "thanks");
    await answered(4);
    expect(shown()).toHaveLength(5);
    expect(at.twilio.sent).toHaveLength(4);
  });

  it("says in words what it cannot do", async () => {
    at = await surroundings();
    expect((await importFile()).said).toContain("there is no database at");
    const service = await at.start(1);
    service.kill("SIGTERM");
    await service.gone();
    const { code, said } = await importFile(join(at.folder, "lull.db"));
    expect(code).toBe(1);
    expect(said).toContain("the sqlite engine takes nothing in");
  });
});
