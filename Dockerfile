# One node of Parley. Two stages install packages, so that the last one holds the sources, the builds of dashboard and server and what
# the server needs, but nothing that they were built with.
FROM node:24-slim AS manifests
WORKDIR /parley
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/engine/package.json packages/engine/
COPY packages/offline-model/package.json packages/offline-model/
COPY packages/server/package.json packages/server/
COPY packages/sdk/package.json packages/sdk/

FROM manifests AS builds
RUN npm install --omit=dev --no-save --no-audit --no-fund
COPY tsconfig.base.json ./
COPY scripts scripts
COPY packages/contract packages/contract
COPY packages/sdk packages/sdk
COPY packages/engine packages/engine
COPY packages/offline-model packages/offline-model
COPY packages/server packages/server
COPY packages/dashboard packages/dashboard
RUN node scripts/build.cjs

FROM manifests AS packages
RUN npm install --omit=dev --no-save --no-audit --no-fund --include-workspace-root=false \
    --workspace packages/contract --workspace packages/engine --workspace packages/offline-model --workspace packages/server \
  && npm cache clean --force

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4100 DATA_DIR=/data RECORDINGS_DIR=/recordings NODE_COMPILE_CACHE=/tmp/parley-cache
WORKDIR /parley
COPY --from=packages /parley/node_modules node_modules
COPY package.json LICENSE ./
COPY scripts scripts
COPY packages/contract packages/contract
COPY packages/engine packages/engine
COPY packages/offline-model packages/offline-model
COPY packages/server packages/server
COPY packages/sdk packages/sdk
COPY --from=builds /parley/packages/dashboard/dist packages/dashboard/dist
COPY --from=builds /parley/packages/server/dist packages/server/dist
# The user that the image of Node brings: no root inside.
RUN mkdir /data /recordings && chown node:node /data /recordings
USER node
VOLUME /data /recordings
EXPOSE 4100
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then(a=>process.exit(a.ok?0:1),()=>process.exit(1))"]
# The server itself and not npm, which would not pass SIGTERM on.
CMD ["node", "packages/server/dist/main.js"]
