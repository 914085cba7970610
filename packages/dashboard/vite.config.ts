import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

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
  },
  server: {
    port: 4200,
    proxy: Object.fromEntries(
      ['/api', '/sdk', '/call', '/openapi.json'].map((path) => [path, { target: 'http://127.0.0.1:4100', ws: true }]),
    ),
  },
})
