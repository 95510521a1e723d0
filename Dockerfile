# Builds the package, then keeps only what runs.
FROM node:24-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No install scripts: they bring another Node for development machines, and this image has one.
# `install` and not `ci`: a lock file made on one platform may lack the optional packages of another.
RUN npm install --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
RUN npm run build && npm prune --omit=dev --ignore-scripts && mkdir -p node_modules

FROM node:24-slim
ENV NODE_ENV=production \
    LULL_HOST=0.0.0.0 \
    LULL_DB=/data/lull.db
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 8080) + '/healthz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# A configuration file goes to /app/lull.config.ts; it may import from "lull".
ENTRYPOINT ["node", "/app/bin/lull.js"]
CMD ["start"]
