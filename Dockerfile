# One node of Parley. Packages are installed in the first stage, so that the second holds nothing but them and the sources.
FROM node:24-slim AS packages
WORKDIR /parley
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/engine/package.json packages/engine/
COPY packages/server/package.json packages/server/
COPY packages/sdk/package.json packages/sdk/
RUN npm install --omit=dev --no-save --no-audit --no-fund && npm cache clean --force

FROM node:24-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4100 DATA_DIR=/data RECORDINGS_DIR=/recordings NODE_COMPILE_CACHE=/tmp/parley-cache
WORKDIR /parley
COPY --from=packages /parley/node_modules node_modules
COPY package.json LICENSE ./
COPY scripts scripts
COPY packages/contract packages/contract
COPY packages/engine packages/engine
COPY packages/server packages/server
COPY packages/sdk packages/sdk
# The user that the image of Node brings: no root inside.
RUN mkdir /data /recordings && chown node:node /data /recordings
USER node
VOLUME /data /recordings
EXPOSE 4100
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+process.env.PORT+'/readyz').then(a=>process.exit(a.ok?0:1),()=>process.exit(1))"]
# The server itself and not npm, which would not pass SIGTERM on.
CMD ["node", "packages/server/src/main.ts"]
