import { describe, expect, it } from "vitest";
import { assistantIdIn } from "./record-config.ts";

describe("the assistant that a record names", () => {
  const places = [
    { ai_config: { assistant_id_replies: "asst_1" } },
    { assistant_id_replies: "asst_2" },
    { ai_config: { assistant_id: "asst_3" } },
    { assistant_id: "asst_4" },
  ];

  it.each(places.map((attributes, n) => [JSON.stringify(attributes), attributes, `asst_${n + 1}`] as const))(
    "is found in %s",
    (_, attributes, id) => {
      expect(assistantIdIn({ attributes })).toBe(id);
    },
  );

  it("is the one for replies, then the one beside other configuration", () => {
    const replies = { assistant_id_replies: "row, replies", assistant_id: "row" };
    const config = { assistant_id_replies: "config, replies", assistant_id: "config" };
    const either = { assistant_id: "config" };
    expect(assistantIdIn({ attributes: { ...replies, ai_config: config } })).toBe("config, replies");
    expect(assistantIdIn({ attributes: { ...replies, ai_config: either } })).toBe("row, replies");
    expect(assistantIdIn({ attributes: { assistant_id: "row", ai_config: either } })).toBe("config");
  });

  it("is none where the name holds no text", () => {
    expect(assistantIdIn({ attributes: { ai_config: { assistant_id_replies: "" }, assistant_id: 7 } })).toBe(
      undefined,
    );
  });
});
