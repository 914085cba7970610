# One node of Parley. Packages are installed twice, so that the image has only those that the server needs.
# Any image with Node 24 and npm; docs/guides/self-hosting.md says how to pin it by digest.
ARG BASE_IMAGE=node:24-slim

FROM ${BASE_IMAGE} AS manifests
WORKDIR /parley
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/dashboard/package.json packages/dashboard/
COPY packages/engine/package.json packages/engine/
COPY packages/retrieval/package.json packages/retrieval/
COPY packages/sdk/package.json packages/sdk/
COPY packages/server/package.json packages/server/

FROM manifests AS builds
RUN npm ci --omit=dev --no-audit --no-fund
COPY tsconfig.base.json ./
COPY scripts scripts
COPY packages packages
RUN node scripts/build.cjs

FROM manifests AS packages
RUN npm ci --omit=dev --no-audit --no-fund --include-workspace-root=false \
    --workspace packages/contract --workspace packages/engine --workspace packages/server

FROM ${BASE_IMAGE}
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4100 DATA_DIR=/data RECORDINGS_DIR=/recordings NODE_COMPILE_CACHE=/tmp/parley-cache
WORKDIR /parley
COPY --from=packages /parley/node_modules node_modules
COPY package.json LICENSE ./
COPY scripts scripts
COPY packages/contract packages/contract
COPY packages/engine packages/engine
COPY packages/retrieval packages/retrieval
COPY packages/sdk packages/sdk
COPY packages/server packages/server
COPY --from=builds /parley/packages/dashboard/dist packages/dashboard/dist
COPY --from=builds /parley/packages/server/dist packages/server/dist
# By number, so that Kubernetes can check that it is not root; Node's images call it "node".
RUN mkdir /data /recordings && chown 1000:1000 /data /recordings
USER 1000:1000
VOLUME /data /recordings
EXPOSE 4100
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then(a=>process.exit(a.ok?0:1),()=>process.exit(1))"]
# Not npm, which does not pass SIGTERM on.
CMD ["node", "packages/server/dist/main.js"]
