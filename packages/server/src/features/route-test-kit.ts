import { SCOPES } from '@parley/contract/access'
import type { Clock, MakeId } from '@parley/engine/ports'
import { type ApiDependencies, createApi } from '../http/api.ts'
import { createIdempotency } from '../http/idempotency.ts'
import { createMetrics } from '../http/metrics.ts'
import { createHttpServer } from '../http/server.ts'
import type { Actor } from '../kernel/access/actor.ts'
import type { Api } from '../kernel/api/implement.ts'
import type { Database } from '../kernel/storage/database.ts'
import { createSharedClock } from '../kernel/work/shared-clock.ts'
import { createTenantDirectoryReader } from './access/tenant-directory-reader.ts'
import type { AuditEntry } from './audit/audit-trail.ts'
import { reversibleSecrets } from './features-test-kit.ts'

/** The default caller: reaches workspaces 1 and 2 as their tenant's admin. */
export const platformAdmin: Actor = {
  userId: 'user_1',
  credentialId: 'token_1',
  isSession: false,
  expiresAt: null,
  role: 'platform_admin',
  scopes: new Set(SCOPES),
  providerId: null,
  accountSid: null,
  workspaces: new Map(
    [1, 2].map((id) => [id, { level: 'account', accountSid: '00000000-0000-4000-8000-00000000000a' }]),
  ),
}

export interface RouteSetting {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
}

/** An HTTP server in memory and its API, which validates responses. */
export function openTestApi(
  { database, clock, makeId }: RouteSetting,
  options: Pick<ApiDependencies, 'authenticate'> & Partial<ApiDependencies>,
) {
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const fastify = createHttpServer({ clock, makeId, logger, metrics: createMetrics(), trustProxy: true })
  const api = createApi({
    fastify,
    clock,
    logger,
    idempotency: createIdempotency(database, reversibleSecrets, createSharedClock(clock)),
    readTenantDirectory: createTenantDirectoryReader(database, clock),
    renewAccess: async () => false,
    accessWatch: { watch: () => () => undefined },
    publicHost: null,
    audit: { record: async () => undefined },
    background: { run: (_name, work) => void work() },
    rateLimit: { settings: { perSecond: 0, burst: 1 }, take: () => ({ allowed: true, remaining: 1, waitMs: 0 }) },
    isPublicHttps: false,
    validateResponses: true,
    ...options,
  })
  return { fastify, api }
}

/** Disposes of all parts in this order. */
export function disposeAll(...parts: readonly AsyncDisposable[]): () => Promise<void> {
  return async () => {
    for (const part of parts) await part[Symbol.asyncDispose]()
  }
}

/** An in-memory HTTP server with the routes of `register`: `send('POST /api/agents', body)`. Validates responses. */
export function openRoutes(setting: RouteSetting, register: (api: Api) => void) {
  const audited: AuditEntry[] = []
  let actor = platformAdmin
  const { fastify, api } = openTestApi(setting, {
    authenticate: async () => actor,
    audit: { record: async (entry) => void audited.push(entry) },
  })
  register(api)

  async function send(requestLine: string, body?: object, headers: Readonly<Record<string, string>> = {}) {
    const [method = '', url = ''] = requestLine.split(' ')
    const payload = body === undefined ? {} : { payload: body }
    const response = await fastify.inject({ method: method as 'GET', url, headers, ...payload })
    return {
      status: response.statusCode,
      headers: response.headers,
      etag: response.headers.etag,
      next: response.headers['x-next-pagination-key'],
      nextVersion: response.headers['x-next-pagination-key-version'],
      body: response.body === '' ? null : JSON.parse(response.body),
    }
  }

  return {
    send,
    audited,
    /** Switches the caller of later requests. */
    actAs: (changes: Partial<Actor>) => {
      actor = { ...platformAdmin, ...changes }
    },
    [Symbol.asyncDispose]: () => fastify.close(),
  }
}
