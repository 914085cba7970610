import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import { type BrowserModules, loadBrowserModules } from './browser-modules.ts'
import { contentSecurityPolicy } from './content-security-policy.ts'
import { sendTagged, type TaggedContent } from './send-tagged.ts'

const SDK_FOLDER = fileURLToPath(new URL('../../../sdk/src/', import.meta.url))

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
      .header('content-security-policy', contentSecurityPolicy(request.host, { 'form-action': "'none'" }))
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
    if (file === undefined) throw new AppError('not_found', 'No such file of the browser client.')
    reply.header('cache-control', 'public, max-age=31536000, immutable')
    return await sendModule(reply, { ...file, etag: `"${hash}"` })
  })
}

/** Modules may be used by pages of other hosts. */
function sendModule(reply: FastifyReply, content: TaggedContent): Promise<FastifyReply> {
  reply.header('access-control-allow-origin', '*').header('cross-origin-resource-policy', 'cross-origin')
  return sendTagged(reply, content)
}
