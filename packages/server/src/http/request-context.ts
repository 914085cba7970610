import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../kernel/access/actor.ts'
import type { NextPage, RequestContext, Upload } from '../kernel/api/implement.ts'
import { invalidField } from '../kernel/errors.ts'
import { collapse } from './normalize-names.ts'
import { isSentOverHttps, printSessionCookie } from './session-cookie.ts'

interface ContextParts {
  readonly actor: Actor
  readonly workspaceId: number
  readonly key: string | null
  readonly lastEventId: number | null
  readonly uploads: readonly Upload[]
  readonly isPublicHttps: boolean
  readonly setAuditWorkspace: (workspaceId: number) => void
}

/** What a handler learns from the headers of its request, and the headers that it may answer. */
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
    client: () => {
      const { ip, host, headers } = request
      return { ip, host: host.toLowerCase(), userAgent: headers['user-agent'] ?? '', isHttps: isHttps() }
    },
    setSession: (session) => void reply.header('set-cookie', printSessionCookie(session, isHttps())),
    setAuditWorkspace: parts.setAuditWorkspace,
    setReplayed: () => void reply.header('idempotent-replayed', 'true'),
    setNextPage: (next) => setPagingHeaders(request, reply, next),
  }
}

/** `*` matches anything, which is what no header means. A tag that is not ours can never match. */
function readIfMatch(header: string | undefined): number | null {
  if (header === undefined || header.trim() === '*') return null
  const match = /^(?:W\/)?"(\d{1,15})"$/.exec(header.trim())
  return match === null ? -1 : Number(match[1])
}

/** Of a request for an event stream: where to go on. */
export function readLastEventId(header: string | string[] | undefined): number | null {
  if (header === undefined || header === '') return null
  if (typeof header === 'string' && /^\d{1,9}$/.test(header)) return Number(header)
  throw invalidField('Last-Event-ID', 'must be the id of an event of this turn')
}

const PAGING_NAMES: ReadonlySet<string> = new Set(['paginationkey', 'paginationkeyversion'])
const UNSAFE_IN_LINK = /[^\x21\x23-\x3b\x3d\x3f-\x7e]/g

function setPagingHeaders(request: FastifyRequest, reply: FastifyReply, next: NextPage | null): void {
  reply.header('x-has-more', next === null ? 'false' : 'true')
  if (next === null) return
  const { url } = request
  const queryAt = url.indexOf('?')
  const path = queryAt === -1 ? url : url.slice(0, queryAt)
  const parameters = new URLSearchParams(queryAt === -1 ? '' : url.slice(queryAt + 1))
  for (const name of [...parameters.keys()]) {
    if (PAGING_NAMES.has(collapse(name))) parameters.delete(name)
  }
  parameters.set('paginationKey', next.key)
  reply.header('x-next-pagination-key', next.key)
  if (next.version !== null) {
    parameters.set('paginationKeyVersion', String(next.version))
    reply.header('x-next-pagination-key-version', String(next.version))
  }
  reply.header('link', `<${path.replace(UNSAFE_IN_LINK, encodeURIComponent)}?${parameters}>; rel="next"`)
}
