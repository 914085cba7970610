import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Branding } from '@parley/contract/branding'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { mergeBrands } from '../features/branding/public.ts'
import { AppError } from '../kernel/errors.ts'
import { acceptsHtml, chooseEncoding } from './compression.ts'
import { type BuiltFile, type DashboardBuild, fillPage, loadDashboardBuild, NOT_BUILT_PAGE } from './dashboard-build.ts'
import { buildContentSecurityPolicy, type Directives, sendTagged } from './send-tagged.ts'

const DIST_FOLDER = fileURLToPath(new URL('../../../dashboard/dist/', import.meta.url))
const PAGE_TYPE = 'text/html; charset=utf-8'

/** First path segments of other routes. An unknown path below them is not a dashboard page. */
const RESERVED_PATHS: ReadonlySet<string> = new Set([
  'api',
  'api-reference.md',
  'assets',
  'call',
  'healthz',
  'llms.txt',
  'metrics',
  'openapi.json',
  'readyz',
  'sdk',
  'w',
  'widget',
])

const DIRECTIVES: Directives = {
  'script-src': "'self'",
  // Menu positions and panel sizes use inline styles. Unlike injected scripts, injected styles cannot run code.
  'style-src': "'self' 'unsafe-inline'",
  // Brand logos are data URLs or any HTTPS URL.
  'img-src': "'self' data: blob: https:",
  'media-src': "'self' blob:",
  'font-src': "'self'",
  'worker-src': "'self' blob:",
  'form-action': "'self'",
}
const PERMISSIONS = 'microphone=(self), camera=(), display-capture=(), geolocation=(), payment=(), usb=()'

export interface DashboardOptions {
  /** Folder of the build; defaults to the folder in this repository. */
  readonly folder?: string
  /** Returns the brand of a host. */
  readonly readBrand: (host: string) => Promise<Branding>
  readonly logError: (error: unknown) => void
}

/**
 * Serves the dashboard at `/` and at unmatched paths, and its files at `/assets/`. Reads the build on the first request and caches it.
 */
export function registerDashboard(fastify: FastifyInstance, options: DashboardOptions): void {
  const loadBuild = cacheBuild(options.folder ?? DIST_FOLDER, options.logError)

  async function sendPage(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const build = await loadBuild()
    if (build === null) return await sendNotBuilt(reply)
    const brand = await options.readBrand(request.host).catch((error: unknown) => {
      options.logError(error)
      return mergeBrands(null, null)
    })
    const body = fillPage(build.page, brand)
    addPageHeaders(reply, request.host)
    return await sendTagged(reply, { contentType: PAGE_TYPE, body, etag: `"${hashText(body)}"` })
  }

  fastify.get('/', sendPage)

  fastify.get<{ Params: { '*': string } }>('/assets/*', async (request, reply) => {
    const file = (await loadBuild())?.assets.get(request.params['*'])
    if (file === undefined) throw new AppError('not_found', 'The dashboard has no such file.')
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return await sendFile(reply, file)
  })

  fastify.handleUnknownRoute = async (request, reply) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return null
    const path = request.url.split('?', 1)[0] ?? ''
    const [, name = '', ...remainingSegments] = path.split('/')
    if (remainingSegments.length === 0 && name.includes('.')) {
      const file = (await loadBuild())?.rootFiles.get(name)
      if (file !== undefined) return await sendFile(reply.header('cache-control', 'public, max-age=3600'), file)
    }
    if (name === '' || !path.startsWith('/') || RESERVED_PATHS.has(name.toLowerCase())) return null
    return acceptsHtml(request.headers.accept) ? await sendPage(request, reply) : null
  }
}

/** Returns a function that reads the build once. A missing or unreadable build is retried on the next request. */
function cacheBuild(folder: string, logError: (error: unknown) => void): () => Promise<DashboardBuild | null> {
  let buildPromise: Promise<DashboardBuild | null> | null = null
  return () => {
    buildPromise ??= loadDashboardBuild(folder)
      .catch((error: unknown) => {
        logError(error)
        return null
      })
      .then((build) => {
        if (build === null) buildPromise = null
        return build
      })
    return buildPromise
  }
}

function addPageHeaders(reply: FastifyReply, host: string): void {
  reply
    .header('cache-control', 'no-cache')
    .header('content-security-policy', buildContentSecurityPolicy(host, DIRECTIVES))
    .header('permissions-policy', PERMISSIONS)
    .header('referrer-policy', 'same-origin')
    .header('x-frame-options', 'SAMEORIGIN')
    // At unmatched paths, only browsers receive the page.
    .header('vary', 'accept')
}

async function sendNotBuilt(reply: FastifyReply): Promise<FastifyReply> {
  reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'self'").header('vary', 'accept')
  return await reply.status(503).header('content-type', PAGE_TYPE).send(NOT_BUILT_PAGE)
}

async function sendFile(reply: FastifyReply, file: BuiltFile): Promise<FastifyReply> {
  const { contentType, hash, content, encoded } = file
  const encoding = chooseEncoding(reply.request.headers['accept-encoding'], encoded)
  reply.header('vary', 'accept-encoding')
  const body = encoding === null ? undefined : encoded.get(encoding)
  if (encoding === null || body === undefined) {
    return await sendTagged(reply, { contentType, body: content, etag: `"${hash}"` })
  }
  return await sendTagged(reply, { contentType, body, etag: `"${hash}-${encoding}"`, encoding })
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
