/**
 * Bundles the server: node bundle-server.mjs <bundler> <root> <folder>. One file instead of 1,800 starts in half the time with
 * a quarter less memory. The code is not minified, since error stack traces point to it.
 */

import path from 'node:path'
import { pathToFileURL } from 'node:url'

const [bundler, root, outputFolder] = process.argv.slice(2)
const server = path.join(root, 'packages', 'server')
/** Folder to which the bundle is moved later. Relative URLs in the bundle start there. */
const finalFolder = path.join(server, 'dist')

/** Packages that every start requires. All others are loaded from `node_modules` on first use. */
const BUNDLED =
  /^(?:@parley|@orama\/stemmers|ajv|croner|eventsource-parser|fastify|ipaddr\.js|kysely|pino|prom-client|undici|zod)(?:\/|$)/

/** A reference to the file of a thread or process, or to a folder. */
const FILE_URL = /new URL\('(\.[^']+)', import\.meta\.url\)/g

const relocateFiles = {
  name: 'relocate-files',
  transform(code, id) {
    if (id.includes('/node_modules/') || !code.includes('import.meta.url')) return null
    return code.replace(FILE_URL, (_match, relative) => `new URL('${relocate(this, id, relative)}', import.meta.url)`)
  },
}

function relocate(context, id, relative) {
  const target = path.join(path.dirname(id), relative)
  if (!relative.endsWith('.ts')) return `${path.relative(finalFolder, target)}/`
  const fileName = `${path.basename(relative, '.ts')}.js`
  context.emitFile({ type: 'chunk', id: target, fileName })
  return `./${fileName}`
}

/** V8 stores a string with any character beyond Latin-1 in two bytes per character. */
const asciiOnly = {
  name: 'ascii-only',
  renderChunk(code) {
    return code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  },
}

function isExternal(id, importer) {
  if (id.startsWith('node:')) return true
  if (id.startsWith('.') || path.isAbsolute(id)) return false
  return !BUNDLED.test(id) && !importer?.includes('/node_modules/')
}

const { rolldown } = await import(pathToFileURL(bundler).href)
const bundle = await rolldown({
  input: { main: path.join(server, 'src', 'main.ts') },
  platform: 'node',
  external: isExternal,
  plugins: [relocateFiles, asciiOnly],
  logLevel: 'warn',
})
await bundle.write({
  dir: outputFolder,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: '[name]-[hash].js',
  comments: false,
})
