import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { buildContentSecurityPolicy, sendTagged, type TaggedContent } from './send-tagged.ts'

const SDK_FOLDER = fileURLToPath(new URL('../../../sdk/src/', import.meta.url))

export interface CallPageOptions {
  /** Folder of the browser client; defaults to the folder in this repository. */
  readonly folder?: string
}

/**
 * Serves the call page at `/call/{callId}` and the browser client at `/sdk/<hash>/` (immutable) and `/sdk/index.js`.
 * Reads the files on the first request.
 */
export function registerCallPage(fastify: FastifyInstance, { folder = SDK_FOLDER }: CallPageOptions = {}): void {
  let modulesPromise: Promise<BrowserModules> | undefined
  const load = (): Promise<BrowserModules> => {
    modulesPromise ??= loadBrowserModules(folder).catch((error: unknown) => {
      modulesPromise = undefined
      throw error
    })
    return modulesPromise
  }

  fastify.get<{ Params: { callId: string } }>('/call/:callId', async (request, reply) => {
    const { hash, files } = await load()
    const page = files.get('page/index.html')
    if (page === undefined) throw new AppError('not_found', 'The call page is not installed.')
    reply
      .header('content-security-policy', buildContentSecurityPolicy(request.host, { 'form-action': "'none'" }))
      .header('permissions-policy', 'microphone=(self), speaker-selection=(self)')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
    const body = page.body.replaceAll('__SDK__', `/sdk/${hash}`)
    return await sendTagged(reply, { ...page, body, etag: `"page-${hash}"` })
  })

  fastify.get('/sdk/index.js', async (_request, reply) => {
    const { hash } = await load()
    const body = `export * from './${hash}/index.js'\n`
    reply.header('cache-control', 'no-cache')
    return await sendModule(reply, { contentType: 'text/javascript; charset=utf-8', body, etag: `"index-${hash}"` })
  })

  fastify.get<{ Params: { hash: string; '*': string } }>('/sdk/:hash/*', async (request, reply) => {
    const { hash, files } = await load()
    const path = request.params['*']
    const file = request.params.hash === hash && !path.endsWith('.html') ? files.get(path) : undefined
    if (file === undefined) throw new AppError('not_found', 'The browser client has no such file.')
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return await sendModule(reply, { ...file, etag: `"${hash}"` })
  })
}

/** Sends a module that pages of other hosts can import. */
function sendModule(reply: FastifyReply, content: TaggedContent): Promise<FastifyReply> {
  reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
  return sendTagged(reply, content)
}

/** A served file. */
interface BrowserFile {
  readonly contentType: string
  readonly body: string
}

/** All files of a browser code folder. */
interface BrowserModules {
  /** Hash of all served files. */
  readonly hash: string
  /** Files by path relative to the folder, with `.js` instead of `.ts`. */
  readonly files: ReadonlyMap<string, BrowserFile>
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const HASH_CHARACTERS = 16

/** Matches references to other files of the folder: imports, re-exports and URLs. */
const LOCAL_FILE = /(\bfrom\s*|\bimport\s*(?:\(\s*)?|\bnew URL\(\s*)(['"])(\.{1,2}\/[^'"]+)\.ts\2/g

/** Reads a folder of browser code and strips the types. The code must only import files of the folder. */
export async function loadBrowserModules(folder: string): Promise<BrowserModules> {
  const names = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'))
  const files = new Map<string, BrowserFile>()
  const hash = createHash('sha256')
  for (const name of names.filter(isServedFile).sort()) {
    // Reads one file at a time, so that the server can handle requests in between.
    const source = await readFile(join(folder, name), 'utf8')
    const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream'
    const path = name.replace(/\.ts$/, '.js')
    const body = path === name ? source : stripTypes(source)
    // Hashes the output, because it also depends on the version of the type stripper.
    hash.update(`${path}\n${body.length}\n${body}`)
    files.set(path, { contentType, body })
  }
  return { hash: hash.digest('hex').slice(0, HASH_CHARACTERS), files }
}

function isServedFile(name: string): boolean {
  return extname(name) in CONTENT_TYPES && !/\.test\.ts$|-test-kit\.ts$/.test(name)
}

/** Strips the types from TypeScript source and points imports to `.js` files. */
export function stripTypes(source: string): string {
  return stripTypeScriptTypes(source).replace(LOCAL_FILE, '$1$2$3.js$2')
}
