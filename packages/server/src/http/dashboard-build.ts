import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import type { Branding } from '@parley/contract/branding'
import type { Encoding } from './compression.ts'

/** A dashboard file and its precompressed versions. */
export interface BuiltFile {
  readonly contentType: string
  /** Hash of the content. */
  readonly hash: string
  readonly content: Buffer
  readonly encoded: ReadonlyMap<Encoding, Buffer>
}

/** A dashboard build at one point in time. */
export interface DashboardBuild {
  /** The HTML page with placeholders for the brand. */
  readonly page: string
  /** Files by path relative to `/assets/`. A file name changes with its content. */
  readonly assets: ReadonlyMap<string, BuiltFile>
  /** Files with fixed names at the root, by name. */
  readonly rootFiles: ReadonlyMap<string, BuiltFile>
}

const PAGE = 'index.html'
const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}
const SUFFIXES: readonly (readonly [Encoding, string])[] = [
  ['br', '.br'],
  ['gzip', '.gz'],
]
const HASH_CHARACTERS = 16
/** Each build replaces the previous one atomically, so repeated conflicts are unlikely. */
const MAX_ATTEMPTS = 3

/** Reads a build into memory. Returns null if there is no build. Throws if the folder cannot be read. */
export async function loadDashboardBuild(folder: string): Promise<DashboardBuild | null> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const build = await readBuildOnce(folder)
    // Retries if another build replaced the folder during the read, so that files of two builds are never mixed.
    if (build?.page === (await readPage(folder))) return build
  }
  throw new Error(`${folder} keeps changing while it is being read.`)
}

async function readBuildOnce(folder: string): Promise<DashboardBuild | null> {
  const page = await readPage(folder)
  if (page === undefined) return null
  const assetFolder = join(folder, 'assets')
  const assets = await readFiles(assetFolder, await listServedFiles(assetFolder, true))
  const names = (await listServedFiles(folder, false)).filter((name) => name !== PAGE)
  return { page, assets, rootFiles: await readFiles(folder, names) }
}

async function readPage(folder: string): Promise<string | undefined> {
  return (await readIfExists(join(folder, PAGE)))?.toString()
}

/** Lists the files to serve and skips hidden files. */
async function listServedFiles(folder: string, recursive: boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive, withFileTypes: true }).catch(ignoreMissingFile)
  return (entries ?? [])
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => !SUFFIXES.some(([, suffix]) => name.endsWith(suffix)))
}

async function readFiles(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, BuiltFile>> {
  const files = new Map<string, BuiltFile>()
  // Reads one file at a time, so that the server can handle requests in between.
  for (const name of names) {
    const content = await readIfExists(join(folder, name))
    if (content === undefined) continue
    const encoded = new Map<Encoding, Buffer>()
    for (const [encoding, suffix] of SUFFIXES) {
      const bytes = await readIfExists(join(folder, `${name}${suffix}`))
      if (bytes !== undefined) encoded.set(encoding, bytes)
    }
    const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream'
    const hash = createHash('sha256').update(content).digest('hex').slice(0, HASH_CHARACTERS)
    files.set(name.replaceAll('\\', '/'), { contentType, hash, content, encoded })
  }
  return files
}

function readIfExists(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch(ignoreMissingFile)
}

function ignoreMissingFile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

const PLACEHOLDER = /__(PRODUCT_NAME|FAVICON|BRAND)__/g
const DEFAULT_FAVICON = '/favicon.svg'
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Inserts the brand into the page, so that browsers display it from the first paint. */
export function fillPage(page: string, brand: Branding): string {
  const values: Readonly<Record<string, string>> = {
    PRODUCT_NAME: escapeHtml(brand.productName),
    FAVICON: escapeHtml(brand.faviconUrl ?? DEFAULT_FAVICON),
    BRAND: escapeScript(JSON.stringify(brand)),
  }
  // Replaces everything in one pass with a function, so that names such as `__BRAND__` or `$&` stay literal.
  return page.replace(PLACEHOLDER, (placeholder, name: string) => values[name] ?? placeholder)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** Escapes JSON for a script element. */
function escapeScript(json: string): string {
  return json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** HTML page displayed if the dashboard is not built. */
export const NOT_BUILT_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>The dashboard is not built</title>
  </head>
  <body>
    <h1>The dashboard is not built</h1>
    <p>The API works. <code>npm start</code> builds the dashboard before the server runs; <code>npm run build</code> builds
    it for a server that is started in another way. Then load this page again.</p>
  </body>
</html>
`
