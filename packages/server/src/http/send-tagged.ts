import type { FastifyReply } from 'fastify'

/** Content that is not streamed. */
export interface TaggedContent {
  readonly contentType: string
  readonly body: string | Buffer
  /** Entity tag, including quotes. */
  readonly etag: string
  /** Content encoding if the content is compressed. */
  readonly encoding?: string
}

/** Sends the content, or 304 if the client's tag matches. */
export async function sendTagged(
  reply: FastifyReply,
  { contentType, body, etag, encoding }: TaggedContent,
): Promise<FastifyReply> {
  reply.header('etag', etag)
  const ifNoneMatch = reply.request.headers['if-none-match'] ?? ''
  if (ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag))
    return await reply.status(304).send()
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return await reply.header('content-type', contentType).send(body)
}

/** Directives that override the base policy. */
export type Directives = Readonly<Record<string, string>>

/**
 * Builds the content security policy, which allows only this host by default. Lists WebSocket URLs separately, because
 * `'self'` excludes them in older browsers.
 */
export function buildContentSecurityPolicy(host: string, directives: Directives): string {
  const socketSources = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : ''
  const policy: Directives = {
    'default-src': "'self'",
    'connect-src': `'self'${socketSources}`,
    'base-uri': "'none'",
    'frame-ancestors': "'self'",
    'object-src': "'none'",
    ...directives,
  }
  return Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ')
}
