import type { NextConfig } from "next";

// Lull starts threads from files of its own, which a bundle would not have.
const config: NextConfig = { serverExternalPackages: ["lull"] };

export default config;
