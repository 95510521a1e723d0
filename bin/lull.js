#!/usr/bin/env node
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know it.
// Old syntax and CommonJS on purpose: an old Node has to get far enough to say that it is too old.
const fs = require("fs");
const path = require("path");
const url = require("url");

const NEEDED = [22, 18];
const version = process.versions.node.split(".").map(Number);

if (version[0] < NEEDED[0] || (version[0] === NEEDED[0] && version[1] < NEEDED[1])) {
  console.error(
    `lull needs Node ${NEEDED.join(".")} or newer; this is Node ${process.versions.node}. ` +
      "Install a newer one (https://nodejs.org), or one for this folder alone: npm install node@24",
  );
  // EX_CONFIG, and no other end of ours: the unit for systemd does not try it again.
  process.exit(78);
}

// Node 22 announces on every start that node:sqlite is experimental. We know; the person at the terminal need not.
const emitWarning = process.emitWarning;
process.emitWarning = (warning, ...more) => {
  const message = warning instanceof Error ? warning.message : String(warning);
  if (!message.startsWith("SQLite is an experimental feature")) emitWarning.call(process, warning, ...more);
};

// A checkout works before it is built: Node runs the sources as they are.
const built = path.join(__dirname, "..", "dist", "cli", "main.js");
const main = fs.existsSync(built) ? built : path.join(__dirname, "..", "src", "cli", "main.ts");
if (!fs.existsSync(main)) {
  // npm packs a git dependency without `prepack`: nothing has built it.
  console.error("lull is not built here. In a clone of its repository, npm pack makes the file to install.");
  process.exit(1);
}

import(url.pathToFileURL(main).href).catch((error) => {
  console.error(error);
  process.exit(1);
});
