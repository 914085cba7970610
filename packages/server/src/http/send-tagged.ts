import type { FastifyReply } from 'fastify'

/** Content sent in one piece. */
export interface TaggedContent {
  readonly contentType: string
  readonly body: string | Buffer
  /** Entity tag with quotes. */
  readonly etag: string
  /** Content encoding, if compressed. */
  readonly encoding?: string
}

/** Sends content, or 304 for a matching tag. */
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

/** Allows this host only by default. Names the host for older browsers whose `'self'` excludes WebSockets. */
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
