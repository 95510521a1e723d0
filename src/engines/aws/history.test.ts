import { describe, expect, it } from "vitest";
import { memoryScene } from "../../../test/aws/simulated/memory-world.ts";
import { history } from "./history.ts";

describe("history", () => {
  it("goes on over pages that end before it does", async () => {
    const { s, world } = await memoryScene({}, { pageRowsMax: 2 });
    for (const text of ["one", "two", "three"]) await s.talk(text, `re: ${text}`);
    const { id } = (await s.conversations())[0]!;
    const texts = async (max: number) => (await history(world.site(), id, max)).map(({ text }) => text);
    const all = ["one", "re: one", "two", "re: two", "three", "re: three"];
    for (const max of [1, 3, 5, 6, 100]) expect(await texts(max)).toEqual(all.slice(-max));
  });

  it("begins with what another system kept only where ours is told whole", async () => {
    const { s, world } = await memoryScene({}, { pageRowsMax: 1 });
    for (const text of ["one", "two"]) await s.talk(text);
    const { id, sender } = (await s.conversations())[0]!;
    const key = { primary_channel: sender, conversation_id: id };
    world.write("conversations", { ...world.row("conversations", key), messages: [{ text: "before" }] });
    const texts = async (max: number, bytes?: number) =>
      (await history(world.site(), id, max, bytes)).map(({ text }) => text);
    expect(await texts(10)).toEqual(["before", "one", "ok", "two", "ok"]);
    expect(await texts(4)).toEqual(["one", "ok", "two", "ok"]);
    expect(await texts(10, 1)).toEqual(["ok"]);
  });
});
