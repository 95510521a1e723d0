import { defineConfig } from "lull";
import { http } from "lull/http";

export default defineConfig({
  window: { quietSeconds: 4, maxSeconds: 20 },
  respond: http({
    url: process.env.TURNS_URL ?? "https://blue-door.vercel.app/api/turns",
    secret: { env: "TURNS_SECRET" },
  }),
  limits: { answerTimeoutSeconds: 70 },
});
