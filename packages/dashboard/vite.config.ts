import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * Files that pages have in common. Without these every icon and every control would be a file of its own, some 85 for a
 * page; with them it is about 15. The first that fits a module takes it. A login needs `start`, `base` and `sign-in`;
 * the other pages bring the rest. What few pages share stays as the bundler cuts it.
 */
const CHUNKS = [
  // All that the first script imports at once, but itself.
  { name: 'start', tags: ['$initial' as const], test: /^(?!.*(?:index\.html|app[\\/]main))/ },
  { name: 'sign-in', test: /features[\\/]sign-in/ },
  {
    name: 'base',
    test: /dashboard[\\/]src[\\/](?:lib[\\/](?!german|editing|days|difference|api[\\/](?:events|upload))|components[\\/](?:button|page|states|brand\.|field))|contract[\\/]src[\\/]access|@tanstack[\\/](?:react-query|query-core|react-router|router-core)/,
    minShareCount: 2,
  },
  { name: 'shell', test: /app[\\/]shell[\\/](?!palette|key-list)/ },
  { name: 'toasts', test: /node_modules[\\/]sonner|components[\\/]toasts/ },
  {
    name: 'controls',
    // Not what the code editor and the palette bring when they are opened.
    test: /node_modules[\\/](?!.*(?:codemirror|lezer|cmdk|crelt|style-mod|w3c-keyname))/,
    minShareCount: 2,
  },
  { name: 'parts', test: /dashboard[\\/]src[\\/]/, minShareCount: 6 },
]

/** What every page behind the login needs beside `start`. */
const PRELOADED: ReadonlySet<string> = new Set(['base', 'controls', 'parts', 'shell'])

/** Has browsers load those at once, instead of when `start` has found out that it needs them. */
function preloadShared(): Plugin {
  return {
    name: 'preload-shared',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) =>
        Object.values(bundle)
          .filter((file) => file.type === 'chunk' && PRELOADED.has(file.name) && !file.isDynamicEntry)
          .map(({ fileName }) => ({
            tag: 'link',
            attrs: { rel: 'modulepreload', crossorigin: true, href: `/${fileName}` },
            injectTo: 'head' as const,
          })),
    },
  }
}

/** The dashboard as static files; the server of the API serves them at `/`. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), preloadShared()],
  build: {
    target: 'es2023',
    // Read by the test of sizes and by nobody else.
    manifest: true,
    chunkSizeWarningLimit: 600,
    // A font or picture in the style sheet would be loaded by everybody, needed or not.
    assetsInlineLimit: 0,
    rolldownOptions: { output: { codeSplitting: { includeDependenciesRecursively: false, groups: CHUNKS } } },
  },
  server: {
    port: 4200,
    proxy: Object.fromEntries(
      ['/api', '/sdk', '/call', '/openapi.json'].map((path) => [path, { target: 'http://127.0.0.1:4100', ws: true }]),
    ),
  },
})
