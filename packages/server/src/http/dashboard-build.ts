import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import type { Encoding } from './accept.ts'

/** A file of the dashboard, with what was compressed when it was built. */
export interface BuiltFile {
  readonly contentType: string
  /** Stands for the content. */
  readonly hash: string
  readonly content: Buffer
  readonly encoded: ReadonlyMap<Encoding, Buffer>
}

/** A build of the dashboard as it was on the disk at one moment. */
export interface DashboardBuild {
  /** The page that loads everything else, with placeholders for the brand. */
  readonly page: string
  /** By their paths below `/assets/`; their names change with their contents. */
  readonly assets: ReadonlyMap<string, BuiltFile>
  /** By their names at the root, which stay. */
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
/** Builds replace each other in an instant: one that comes into the way of reading is hardly followed by another. */
const ATTEMPTS = 3

/** Reads a build into memory. Null when there is none. Throws when the folder cannot be read. */
export async function loadDashboardBuild(folder: string): Promise<DashboardBuild | null> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const build = await readBuildOnce(folder)
    // Read from two builds, the files would not fit each other; between two of them there is none for an instant.
    if (build?.page === (await readPage(folder))) return build
  }
  throw new Error(`${folder} changes while it is read.`)
}

async function readBuildOnce(folder: string): Promise<DashboardBuild | null> {
  const page = await readPage(folder)
  if (page === undefined) return null
  const assetFolder = join(folder, 'assets')
  const assets = await readFiles(assetFolder, await list(assetFolder, true))
  const names = (await list(folder, false)).filter((name) => name !== PAGE)
  return { page, assets, rootFiles: await readFiles(folder, names) }
}

async function readPage(folder: string): Promise<string | undefined> {
  return (await readIfExists(join(folder, PAGE)))?.toString()
}

/** Files that are to be served; a dot at the beginning of a name hides it. */
async function list(folder: string, recursive: boolean): Promise<string[]> {
  const entries = await readdir(folder, { recursive, withFileTypes: true }).catch(nullIfMissing)
  return (entries ?? [])
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => !SUFFIXES.some(([, suffix]) => name.endsWith(suffix)))
}

async function readFiles(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, BuiltFile>> {
  const files = new Map<string, BuiltFile>()
  // One file after another: other requests are answered in between.
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
  return readFile(file).catch(nullIfMissing)
}

function nullIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
