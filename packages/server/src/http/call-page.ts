import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { type BrowserModules, loadBrowserModules } from './browser-modules.ts'

const SDK_FOLDER = fileURLToPath(new URL('../../../sdk/src/', import.meta.url))

/**
 * Everything comes from this host, and nothing of the page is written into it. `'self'` covers the socket of the call, which
 * older browsers want to see named: the host is added for them.
 */
function contentSecurityPolicy(host: string): string {
  const sockets = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : ''
  return [
    "default-src 'self'",
    `connect-src 'self'${sockets}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "object-src 'none'",
  ].join('; ')
}

export interface CallPageOptions {
  /** Folder of the browser client; the one of this repository, when absent. */
  readonly folder?: string
}

/**
 * The page of a call at `/call/{callId}` and the modules of the browser client: under `/sdk/<hash>/`, which never change, and at
 * `/sdk/index.js` for pages elsewhere. They are read at the first request, since many servers never show the page.
 */
export function registerCallPage(fastify: FastifyInstance, { folder = SDK_FOLDER }: CallPageOptions = {}): void {
  let loading: Promise<BrowserModules> | undefined
  const load = (): Promise<BrowserModules> => {
    loading ??= loadBrowserModules(folder).catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  fastify.get<{ Params: { callId: string } }>('/call/:callId', async (request, reply) => {
    const { hash, files } = await load()
    const page = files.get('page/index.html')
    if (page === undefined) throw new AppError('not_found', 'The page of calls is not installed.')
    reply
      .header('content-security-policy', contentSecurityPolicy(request.host))
      .header('permissions-policy', 'microphone=(self), speaker-selection=(self)')
      .header('referrer-policy', 'no-referrer')
      .header('cache-control', 'no-cache')
    return await send(reply, { ...page, body: page.body.replaceAll('__SDK__', `/sdk/${hash}`) }, `"page-${hash}"`)
  })

  fastify.get('/sdk/index.js', async (_request, reply) => {
    const { hash } = await load()
    const body = `export * from './${hash}/index.js'\n`
    reply.header('cache-control', 'no-cache')
    return await sendModule(reply, { contentType: 'text/javascript; charset=utf-8', body }, `"index-${hash}"`)
  })

  fastify.get<{ Params: { hash: string; '*': string } }>('/sdk/:hash/*', async (request, reply) => {
    const { hash, files } = await load()
    const path = request.params['*']
    const file = request.params.hash === hash && !path.endsWith('.html') ? files.get(path) : undefined
    if (file === undefined) throw new AppError('not_found', 'No such file of the browser client.')
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return await sendModule(reply, file, `"${hash}"`)
  })
}

/** Modules may be used by pages of other hosts. */
function sendModule(
  reply: FastifyReply,
  file: { readonly contentType: string; readonly body: string },
  etag: string,
): Promise<FastifyReply> {
  reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
  return send(reply, file, etag)
}

async function send(
  reply: FastifyReply,
  { contentType, body }: { readonly contentType: string; readonly body: string },
  etag: string,
): Promise<FastifyReply> {
  reply.header('etag', etag)
  const known = reply.request.headers['if-none-match'] ?? ''
  if (known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)) return await reply.status(304).send()
  return await reply.header('content-type', contentType).send(body)
}
