# Packs the package as npm would, then installs it where it runs. The base is known by its digest, an index of all platforms: the tag only
# says in words what it is. To renew it: docker buildx imagetools inspect node:24-bookworm-slim.
FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install scripts: they bring another Node for development machines, and this image has one.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json *.md LICENSE ./
COPY bin bin
COPY deploy deploy
COPY docs docs
COPY examples examples
COPY src src
COPY tools/build tools/build
RUN npm pack && mv lull-*.tgz /lull.tgz
# With `--build-arg AWS=yes` also what LULL_ENGINE=aws needs, at the versions that are tested.
ARG AWS
WORKDIR /runtime
RUN echo '{ "private": true, "type": "module" }' > package.json && npm install --ignore-scripts --no-audit --no-fund /lull.tgz \
    ${AWS:+$(node -p "Object.entries(require('/app/package.json').devDependencies).filter(([name]) => /^@aws-sdk|powertools.(commons|parameters)/.test(name)).map((each) => each.join('@')).join(' ')")}

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production \
    LULL_HOST=0.0.0.0 \
    LULL_DB=/data/lull.db
WORKDIR /app
COPY --from=build /runtime ./
RUN mkdir -m 700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# A configuration file goes to /app/lull.config.ts; it may import from "lull".
ENTRYPOINT ["node", "/app/node_modules/lull/bin/lull.js"]
CMD ["start"]
