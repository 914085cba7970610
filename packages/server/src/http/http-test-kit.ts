import { defineOperation, type Operation } from '@parley/contract/operation'
import { createManualClock, type ManualClock } from '@parley/engine/testing/index'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type TemporaryDatabase, temporaryDatabase } from '../../../../testing/temporary-database.ts'
import type { AuditEntry } from '../features/audit/audit-trail.ts'
import type { Actor } from '../kernel/access/actor.ts'
import type { TenantDirectory, WatchedConnection } from '../kernel/access/actor-context.ts'
import type { Api } from '../kernel/api/implement.ts'
import { createSharedClock } from '../kernel/work/shared-clock.ts'
import { createSecrets } from '../platform/secrets/sealed-secrets.ts'
import { createRateLimiter, type RateLimitSettings } from './admission.ts'
import { createApi } from './api.ts'
import { createIdempotency, type Idempotency } from './idempotency.ts'
import { createMetrics } from './metrics.ts'
import { createHttpServer } from './server.ts'
import type { UploadFolder } from './upload-folder.ts'

/** A log line of the server. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly values: Record<string, unknown>
  readonly event: string
}

/** A test server with the HTTP layer over a temporary database, without features. */
export interface TestServer extends AsyncDisposable {
  readonly fastify: FastifyInstance
  readonly api: Api
  readonly manual: ManualClock
  readonly idempotency: Idempotency
  /** Opens the database on first use. */
  database(): Promise<TemporaryDatabase>
  readonly log: LogLine[]
  readonly auditEntries: AuditEntry[]
  /** Event streams that are watched for access loss. */
  readonly watchedConnections: ReadonlySet<WatchedConnection>
  /** Listens on a free port and returns it. */
  listen(): Promise<number>
}

export const TOKEN = 'sk_test'
export const OTHER_TOKEN = 'sk_other'
/** A second token of the user who owns `TOKEN`. */
export const SAME_USER_TOKEN = 'sk_twin'
export const NARROW_TOKEN = 'sk_narrow'
export const READER_TOKEN = 'sk_reader'
/** Workspace that the tokens can access. */
const WORKSPACE = 1
export const BEARER = { authorization: `Bearer ${TOKEN}` }

function createActor(userId: string, scopes: Actor['scopes']): Actor {
  const access = { level: 'account', accountSid: 'account' } as const
  return {
    userId,
    credentialId: `token_${userId}`,
    isSession: false,
    expiresAt: null,
    role: 'tenant_admin',
    scopes,
    providerId: 'provider',
    accountSid: 'account',
    workspaces: new Map([
      [WORKSPACE, access],
      [2, access],
    ]),
  }
}

const TENANT_DIRECTORY: TenantDirectory = {
  resellers: new Set(['provider']),
  tenants: new Map([['account', 'provider']]),
  workspaces: new Map([
    [WORKSPACE, 'account'],
    [2, 'account'],
  ]),
}
const ALL_SCOPES = new Set(['read', 'write', 'calls', 'admin'] as const)
export const ACTOR = createActor('one', ALL_SCOPES)
const ACTORS: Readonly<Record<string, Actor>> = {
  [`Bearer ${TOKEN}`]: ACTOR,
  [`Bearer ${SAME_USER_TOKEN}`]: { ...ACTOR, credentialId: 'token_twin' },
  [`Bearer ${NARROW_TOKEN}`]: { ...ACTOR, credentialId: 'token_narrow', scopes: new Set(['write'] as const) },
  [`Bearer ${OTHER_TOKEN}`]: createActor('two', ALL_SCOPES),
  [`Bearer ${READER_TOKEN}`]: createActor('three', new Set(['read'] as const)),
}

/** Starts a server with the operations that `mount` adds, without a rate limit by default. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one list of the server's dependencies.
export async function startTestServer(
  mount: (api: Api, manual: ManualClock) => void,
  limits: RateLimitSettings = { perSecond: 0, burst: 1 },
  uploads?: UploadFolder,
): Promise<TestServer> {
  const manual = createManualClock()
  const { clock } = manual
  let databasePromise: Promise<TemporaryDatabase> | undefined
  const openDatabase = (): Promise<TemporaryDatabase> => {
    databasePromise ??= temporaryDatabase()
    return databasePromise
  }
  const secrets = createSecrets('a secret key that is long enough for tests')
  const loadIdempotency = async (): Promise<Idempotency> =>
    createIdempotency(await openDatabase(), secrets, createSharedClock(clock))
  const idempotency: Idempotency = {
    acquire: async (request) => await (await loadIdempotency()).acquire(request),
    finish: async (request, lease, response) => await (await loadIdempotency()).finish(request, lease, response),
    sweep: async () => await (await loadIdempotency()).sweep(),
  }
  const log: LogLine[] = []
  const auditEntries: AuditEntry[] = []
  const watchedConnections = new Set<WatchedConnection>()
  let idCount = 0
  const createLogMethod = (level: LogLine['level']) => (values: Record<string, unknown>, event: string) =>
    void log.push({ level, values, event })
  const logger = { info: createLogMethod('info'), warn: createLogMethod('warn'), error: createLogMethod('error') }
  const fastify = createHttpServer({
    clock,
    makeId: (prefix) => `${prefix}_${String(++idCount).padStart(26, '0')}`,
    logger,
    metrics: createMetrics(),
    trustProxy: false,
  })
  const api = createApi({
    fastify,
    clock,
    idempotency,
    logger,
    authenticate: async ({ authorization }) => ACTORS[authorization ?? ''] ?? null,
    readTenantDirectory: async () => TENANT_DIRECTORY,
    renewAccess: async () => false,
    accessWatch: {
      watch(connection) {
        watchedConnections.add(connection)
        return () => void watchedConnections.delete(connection)
      },
    },
    publicHost: null,
    audit: { record: async (entry) => void auditEntries.push(entry) },
    background: { run: (_name, work) => void work() },
    rateLimit: { settings: limits, take: createRateLimiter(limits, clock) },
    isPublicHttps: false,
    validateResponses: true,
    ...(uploads !== undefined && { uploads }),
  })
  mount(api, manual)
  await fastify.ready()
  return {
    fastify,
    api,
    manual,
    idempotency,
    database: openDatabase,
    log,
    auditEntries,
    watchedConnections,
    async listen() {
      await fastify.listen({ host: '127.0.0.1', port: 0 })
      const address = fastify.server.address()
      return typeof address === 'object' && address !== null ? address.port : 0
    },
    async [Symbol.asyncDispose]() {
      fastify.server.closeAllConnections()
      await fastify.close()
      await (await databasePromise)?.[Symbol.asyncDispose]()
    },
  }
}

/** A small resource with all kinds of fields. */
export const Thing = z.object({
  workspaceId: z.int().min(1).optional(),
  display_name: z.string().max(20),
  maxCount: z.int().min(0).max(10).optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  steps: z.array(z.object({ step_id: z.string(), next_step: z.object({ to_id: z.string() }).optional() })).optional(),
  engine: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('llm'), llm_id: z.string() }),
      z.object({ type: z.literal(['flow', 'conversation-flow']), flow_id: z.string() }),
    ])
    .optional(),
})

export const createThing = defineOperation({
  name: 'createThing',
  route: 'POST /api/things',
  tag: 'Things',
  summary: 'Create a thing',
  access: 'write',
  workspace: 'body',
  body: Thing,
  bodyLimitBytes: 64 * 1024,
  status: 201,
})

export const listThings = defineOperation({
  name: 'listThings',
  route: 'GET /api/things',
  tag: 'Things',
  summary: 'List things',
  access: 'read',
  workspace: 'query',
  query: z.object({
    workspaceId: z.string().optional(),
    limit: z.string().optional(),
    paginationKey: z.string().optional(),
    startDate: z.string().optional(),
    search: z.string().optional(),
  }),
  status: 200,
})

export const removeThing = defineOperation({
  name: 'removeThing',
  route: 'DELETE /api/v1/things/{thingId}',
  tag: 'Things',
  summary: 'Remove a thing',
  access: 'write',
  workspace: 'query',
  pathParameters: z.object({ thingId: z.string().max(200) }),
  query: z.object({ workspaceId: z.string().optional() }),
  status: 204,
})

/** Mounts an operation that returns plain JSON. */
export function mountAny(
  api: Api,
  operation: Operation,
  handler: (
    input: { path: unknown; query: unknown; body: unknown },
    context: Parameters<Parameters<Api['add']>[1]>[1],
  ) => Promise<unknown>,
): void {
  api.add(operation, handler as Parameters<Api['add']>[1])
}
