import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../kernel/access/actor.ts'
import type { NextPage, RequestContext, Upload } from '../kernel/api/implement.ts'
import { invalidField } from '../kernel/errors.ts'
import { collapseName } from './normalize-names.ts'

interface ContextParts {
  readonly actor: Actor
  readonly workspaceId: number
  readonly key: string | null
  readonly lastEventId: number | null
  readonly uploads: readonly Upload[]
  readonly isPublicHttps: boolean
  readonly setAuditWorkspace: (workspaceId: number) => void
}

/** Creates the handler context from the request headers. */
export function createRequestContext(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ContextParts,
): RequestContext {
  const isHttps = (): boolean => isSentOverHttps(request, parts.isPublicHttps)
  return {
    actor: parts.actor,
    workspaceId: parts.workspaceId,
    requestId: request.id,
    idempotencyKey: parts.key,
    ifMatch: readIfMatch(request.headers['if-match']),
    acceptsEventStream: request.headers.accept?.toLowerCase().includes('text/event-stream') === true,
    lastEventId: parts.lastEventId,
    uploads: parts.uploads,
    setEtag: (editCount) => void reply.header('etag', `"${editCount}"`),
    getClient: () => {
      const { ip, host, headers } = request
      return { ip, host: host.toLowerCase(), userAgent: headers['user-agent'] ?? '', isHttps: isHttps() }
    },
    setSession: (session) => void reply.header('set-cookie', formatSessionCookie(session, isHttps())),
    setAuditWorkspace: parts.setAuditWorkspace,
    setReplayed: () => void reply.header('idempotent-replayed', 'true'),
    setNextPage: (nextPage) => setPagingHeaders(request, reply, nextPage),
  }
}

/**
 * Reads the edit count from `If-Match`. `*` matches any version, as if the header were absent. Unknown tags never
 * match.
 */
function readIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null
  const match = /^(?:W\/)?"(\d{1,15})"$/.exec(header.trim())
  return match === null ? -1 : Number(match[1])
}

/** Reads the id of the event after which an event stream resumes. */
export function readLastEventId(header: string | string[] | undefined): number | null {
  if (header === undefined || header === '') return null
  if (typeof header === 'string' && /^\d{1,9}$/.test(header)) return Number(header)
  throw invalidField('Last-Event-ID', 'must be the id of an event of this turn')
}

const PAGING_NAMES: ReadonlySet<string> = new Set(['paginationkey', 'paginationkeyversion'])
const UNSAFE_IN_LINK = /[^\x21\x23-\x3b\x3d\x3f-\x7e]/g

function setPagingHeaders(request: FastifyRequest, reply: FastifyReply, nextPage: NextPage | null): void {
  reply.header('x-has-more', nextPage === null ? 'false' : 'true')
  if (nextPage === null) return
  const { url } = request
  const queryStart = url.indexOf('?')
  const path = queryStart === -1 ? url : url.slice(0, queryStart)
  const parameters = new URLSearchParams(queryStart === -1 ? '' : url.slice(queryStart + 1))
  for (const name of [...parameters.keys()]) {
    if (PAGING_NAMES.has(collapseName(name))) parameters.delete(name)
  }
  parameters.set('paginationKey', nextPage.key)
  reply.header('x-next-pagination-key', nextPage.key)
  if (nextPage.version !== null) {
    parameters.set('paginationKeyVersion', String(nextPage.version))
    reply.header('x-next-pagination-key-version', String(nextPage.version))
  }
  reply.header('link', `<${path.replace(UNSAFE_IN_LINK, encodeURIComponent)}?${parameters}>; rel="next"`)
}

/** Session cookie name. */
const PLAIN_NAME = 'parley_session'
/** Browsers accept this prefix only for `Secure` cookies of the same host, so subdomains cannot set this cookie. */
const SECURE_NAME = `__Host-${PLAIN_NAME}`

const [PLAIN_VALUE, SECURE_VALUE] = [PLAIN_NAME, SECURE_NAME].map(
  (name) => new RegExp(`(?:^|;\\s*)${name}=([\\w-]{20,200})(?:;|$)`),
)

/** Reads the session from a `Cookie` header. Ignores plain HTTP cookies on HTTPS. */
export function readSessionCookie(header: string | undefined, isHttps: boolean): string | null {
  const value = isHttps ? SECURE_VALUE : PLAIN_VALUE
  return header === undefined ? null : (value?.exec(header)?.[1] ?? null)
}

/** Whether the browser used HTTPS, according to `BASE_URL` or a trusted proxy. */
export function isSentOverHttps({ protocol }: { readonly protocol: string }, isPublicHttps: boolean): boolean {
  return isPublicHttps || protocol === 'https'
}

/** Builds the `Set-Cookie` header of a session. A null session removes the cookie. */
export function formatSessionCookie(
  session: { value: string; maxAgeSeconds: number } | null,
  isHttps: boolean,
): string {
  const name = isHttps ? SECURE_NAME : PLAIN_NAME
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`
  return `${name}=${session?.value ?? ''}; Max-Age=${session?.maxAgeSeconds ?? 0}; ${attributes}`
}

/**
 * Whether the origin is this server. Browsers send an origin with every write. Ignores the scheme, because a proxy can
 * terminate TLS.
 */
export function isOwnOrigin(origin: string | undefined, ownHosts: readonly string[]): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false
  const { protocol, host } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  return ownHosts.some((ownHost) => normalizeHost(protocol, ownHost) === host)
}

/** Returns the lower-case host without the default port, which some proxies add. */
function normalizeHost(protocol: string, host: string): string | null {
  const url = `${protocol}//${host}`
  return host !== '' && URL.canParse(url) ? new URL(url).host : null
}
