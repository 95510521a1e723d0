import { expect } from "vitest";
import { atRest, type Case, committed, type Platform } from "../platform.ts";

const WRITERS = 64;
const MEGABYTES_MAX = 400;

export const limitCases = ({ crowd, crowdSeconds }: Platform): readonly Case[] => [
  {
    title: `${crowd} conversations due in the same second are all answered once, in bounded memory`,
    environment: {
      LULL_WINDOW_SECONDS: crowdSeconds,
      LULL_WEB: "1",
      OPENAI_API_KEY: "",
      OPENAI_BASE_URL: "",
    },
    workers: 2,
    async run(at) {
      let next = 0;
      const customer = async () => {
        while (next < crowd) {
          next += 1;
          const body = JSON.stringify({ id: "m1", sender: `visitor-${next}`, text: "hi" });
          const headers = { "content-type": "application/json" };
          expect((await at.post("/webhooks/web", { body, headers })).status).toBe(200);
        }
      };
      await Promise.all(Array.from({ length: WRITERS }, customer));
      await committed(at, crowd);
      expect(await atRest(at)).toMatchObject({ conversations: crowd, turns: crowd, dead: 0, unknown: 0 });
      expect(at.events.filter(({ level }) => String(level).toLowerCase() === "error")).toEqual([]);
      const peak = await at.peakMegabytes();
      if (process.platform === "linux") expect(peak).toBeGreaterThan(0);
      expect(peak).toBeLessThan(MEGABYTES_MAX);
    },
  },
];
