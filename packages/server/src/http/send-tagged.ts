import type { FastifyReply } from 'fastify'

/** Content that is sent in one piece. */
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
  const known = reply.request.headers['if-none-match'] ?? ''
  if (known.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)) return await reply.status(304).send()
  if (encoding !== undefined) reply.header('content-encoding', encoding)
  return await reply.header('content-type', contentType).send(body)
}

/** Directives that replace those of the base policy. */
export type Directives = Readonly<Record<string, string>>

/**
 * Builds the content security policy, which allows only this host by default. Names the host for older browsers in which
 * `'self'` excludes WebSockets.
 */
export function buildContentSecurityPolicy(host: string, directives: Directives): string {
  const sockets = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : ''
  const all: Directives = {
    'default-src': "'self'",
    'connect-src': `'self'${sockets}`,
    'base-uri': "'none'",
    'frame-ancestors': "'self'",
    'object-src': "'none'",
    ...directives,
  }
  return Object.entries(all)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ')
}
