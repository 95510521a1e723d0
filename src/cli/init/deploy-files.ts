import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** Lull has nothing to compile: what is installed here runs there. */
export const COMPOSE = `# npm install && docker compose up --build --detach
services:
  lull:
    build:
      context: .
      dockerfile_inline: |
        FROM node:24-bookworm-slim
        WORKDIR /app
        COPY . .
        RUN mkdir -m 700 /data && chown node:node /data
        USER node
        # Not npx: it would not hand the signal on.
        CMD ["node", "node_modules/lull/bin/lull.js", "start"]
    env_file: .env
    environment:
      LULL_HOST: 0.0.0.0
      LULL_DB: /data/lull.db
    # For this machine alone, where your proxy is: a bare "8080:8080" opens it to the network.
    ports: ["127.0.0.1:8080:8080"]
    volumes: ["data:/data"]
    restart: always
    # Longer than running turns may take to finish (LULL_STOP_GRACE_SECONDS, 25).
    stop_grace_period: 60s
    healthcheck:
      test:
        - CMD
        - node
        - -e
        - >-
          fetch('http://127.0.0.1:8080/healthz')
          .then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))
      interval: 10s
volumes:
  data:
`;

/** What an image must not hold. */
export const DOCKER_IGNORE = ".env\n.git\ndata\n";

/** The unit of the package, for a project that lies in /opt. */
export async function unitFile(packageFolder: string, name: string): Promise<string> {
  const unit = await readFile(join(packageFolder, "deploy/lull.service"), "utf8");
  const [, ...sections] = unit.split(/^(?=\[Unit\])/m);
  const body = sections
    .join("")
    .replaceAll("/etc/lull/lull.env", `/opt/${name}/.env`)
    .replaceAll("/etc/lull", `/opt/${name}`)
    .replace(/^ConfigurationDirectory=.*\n/m, "");
  return `# This project as a service of a machine.
#
#   useradd --system --home-dir /var/lib/lull --shell /usr/sbin/nologin lull
#   cp -r . /opt/${name} && chown root:root /opt/${name}/.env && chmod 0600 /opt/${name}/.env
#   cp lull.service /etc/systemd/system/ && systemctl enable --now lull

${body}`;
}
