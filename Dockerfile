# A worker, or any other reelay command. glibc is needed: the Temporal SDK's native part does not run on Alpine.
FROM node:20.19-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
# Without `prepare`, which would run before the sources are there.
RUN npm ci --omit=dev --ignore-scripts
COPY . .
RUN npm run build

FROM node:20.19-bookworm-slim
# ca-certificates: the SDK reads the system's; tini: passes signals on and collects ended processes.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/* \
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
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/dist/cli/main.js"]
CMD ["worker"]
