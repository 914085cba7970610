import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/**
 * Files that pages have in common. Without these every icon and every control would be a file of its own, some 85 for a
 * page; with them it is about 20. The first that fits a module takes it. Whoever signs in gets `start` and `base`; the
 * frame of the pages and lists bring `controls` and `parts`; what only one page has stays with it.
 */
const CHUNKS = [
  { name: 'start', tags: ['$initial' as const], test: /^(?!.*(?:index\.html|app[\\/]main))/ },
  {
    name: 'base',
    test: /dashboard[\\/]src[\\/](?:lib[\\/](?!german|editing|days|difference|api[\\/](?:events|upload))|components[\\/](?:button|page|states|brand-|field))/,
    minShareCount: 2,
  },
  {
    name: 'controls',
    test: /node_modules[\\/](?:lucide-react|radix-ui|@radix-ui|@floating-ui|aria-hidden|react-remove-scroll|react-style-singleton|use-sidecar|use-callback-ref|tslib|@tanstack[\\/](?:react-virtual|virtual-core))/,
    minShareCount: 2,
  },
  {
    name: 'parts',
    test: /dashboard[\\/]src[\\/](?:components[\\/](?!toasts|code-area|difference)|lib[\\/]editing)/,
    minShareCount: 3,
  },
]

/** The dashboard as static files; the server of the API serves them at `/`. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss()],
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
