import { createLull } from "lull";
import { perProcess } from "lull/next";
import { sqlite } from "lull/sqlite";
import { twilio } from "lull/twilio";

// Next loads this module once for each bundle, and again when it changes: `perProcess` keeps one service.
export const lull = perProcess(() =>
  createLull({
    engine: sqlite({ file: "data/next.db" }),
    publicUrl: `${process.env.PUBLIC_URL}/lull`,
    channels: { whatsapp: twilio.whatsapp() },
    window: { quietSeconds: 2 },
    respond: async (turn) => `heard ${turn.messages.length}: ${turn.text}`,
  }),
);
