# A worker, or any other reelay command. glibc is needed: the Temporal SDK's native part does not run on Alpine.
FROM node:24.22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without `prepare`, which would run before the sources are there.
RUN npm ci --omit=dev --ignore-scripts
COPY . .
RUN npm run build
# Native parts for other systems, and what only compilers and debuggers read: a third of the image.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} + \
  && rm -rf node_modules/@libsql/*-musl \
  && find node_modules -name '*.map' -delete -o -name '*.d.ts' -delete

FROM node:24.22-bookworm-slim
# ca-certificates: the SDK reads the system's; tini: passes signals on and collects ended processes.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin \
  && mkdir -p /data && chown node:node /data
WORKDIR /app
# Of root: the program can't change itself.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# Heap in MB: about 75 % of the container's memory limit (2 GB in docker-compose.yml).
ENV NODE_ENV=production \
  NODE_OPTIONS=--max-old-space-size=1536 \
  REELAY_HOME=/data
VOLUME /data
USER node
# Healthy: it polls Temporal and can write its ledger. Other commands than `worker` need another check, or none.
HEALTHCHECK --interval=15s --timeout=8s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:9465/health').then(async (a) => { console.log(await a.text()); process.exit(a.ok ? 0 : 1); }, () => process.exit(1))"]
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/dist/cli/main.js"]
CMD ["worker", "--health", "9465"]
