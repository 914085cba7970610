import type { FastifyReply } from 'fastify'

/** What a browser gets in one piece. */
export interface TaggedContent {
  readonly contentType: string
  readonly body: string | Buffer
  /** Stands for these bytes, with its quotes. */
  readonly etag: string
  /** How the body is compressed, where it is. */
  readonly encoding?: string
}

/** Sends a content, or only that it is the one that the browser has. */
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

/** What a page allows beyond what all of ours have; a directive of the base is replaced. */
export type Directives = Readonly<Record<string, string>>

/**
 * Everything comes from this host, unless a page says otherwise. `'self'` covers sockets as well, which older browsers want to
 * see named: the host is added for them.
 */
export function contentSecurityPolicy(host: string, directives: Directives): string {
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
