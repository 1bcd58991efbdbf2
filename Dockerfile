# Builds from a clean checkout: `docker compose up --build`.
FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts
COPY scripts scripts
COPY store store
COPY src src
COPY workers workers
COPY bench bench
COPY test test
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist/src/types/schemas dist/src/types/schemas
COPY --from=build /app/dist/bundle dist/bundle
RUN mkdir -p /data /pki/a /pki/b /pki/c && chown -R node:node /data /pki
USER node
VOLUME /data
EXPOSE 6443 2380
ENTRYPOINT ["node", "dist/bundle/main.js"]
CMD ["serve", "--data-dir", "/data"]
