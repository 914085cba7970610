import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/**
 * Chunks that pages share. Without chunks, each icon and control would be a separate file: about 85 files per page instead of
 * about 15. The first matching chunk takes a module. Signing in requires `start`, `base`, and `sign-in`; other pages load the
 * rest. The bundler decides how to split modules that few pages share.
 */
const CHUNKS = [
  // Everything that the first script imports immediately, except for the script.
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
    // Excludes modules that load with the code editor and the palette.
    test: /node_modules[\\/](?!.*(?:codemirror|lezer|cmdk|crelt|style-mod|w3c-keyname))/,
    minShareCount: 2,
  },
  { name: 'parts', test: /dashboard[\\/]src[\\/]/, minShareCount: 6 },
]

/** Chunks besides `start` that every page after sign-in requires. */
const PRELOADED: ReadonlySet<string> = new Set(['base', 'controls', 'parts', 'shell'])

/** Preloads the shared chunks immediately, before `start` imports them. */
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

/** Builds the dashboard as static files, which the API server serves at `/`. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), preloadShared()],
  build: {
    target: 'es2023',
    // Only the bundle size test reads the manifest.
    manifest: true,
    chunkSizeWarningLimit: 600,
    // An inlined font or image in the style sheet would load on every page.
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
