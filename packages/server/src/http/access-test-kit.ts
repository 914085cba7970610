import type { Access } from '@parley/contract/access'
import {
  type ApiPath,
  defineOperation,
  type Method,
  type Operation,
  type WorkspaceSource,
} from '@parley/contract/operation'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { z } from 'zod'
import { ACTORS, TENANT_DIRECTORY } from '../features/access/actors-test-kit.ts'
import type { AuditEntry } from '../features/audit/audit-trail.ts'
import type { Actor } from '../kernel/access/actor.ts'
import { createApi } from './api.ts'
import { mountAny } from './http-test-kit.ts'
import { createMetrics } from './metrics.ts'
import { createHttpServer } from './server.ts'

/** Dashboard session cookie. */
export const COOKIE = 'parley_session=abcdefghijklmnopqrstuvwxyz'

/** Builds an operation with this access at `/api/<access>-<workspace>`, or at `path` for sign-in paths. */
export function buildOperation(
  method: Method,
  access: Access,
  workspace: WorkspaceSource,
  path: ApiPath = `/api/${access}-${workspace}`,
): Operation {
  const isInPath = workspace === 'path'
  const fullPath: ApiPath = isInPath ? `${path}/{workspaceId}` : path
  return defineOperation({
    name: `${method.toLowerCase()}${path.replace(/\W+/g, '_')}`,
    route: `${method} ${fullPath}`,
    tag: 'Test',
    summary: 'Test',
    access,
    workspace,
    ...(isInPath && { pathParameters: z.object({ workspaceId: z.string() }) }),
    ...(method === 'POST' && { body: z.object({ workspaceId: z.int().optional() }) }),
    status: 200,
  })
}

/**
 * Starts a server with these operations. `Bearer <kind>` selects an actor of the kit, or a `reader` with only that scope. The
 * cookie is a platform session.
 */
export function startAccessServer(operations: readonly Operation[], failAudit = false) {
  const { clock } = createManualClock()
  const auditEntries: AuditEntry[] = []
  const background: string[] = []
  const errors: string[] = []
  let idCount = 0
  const logger = { info: () => {}, warn: () => {}, error: (_values: object, event: string) => void errors.push(event) }
  const makeId = (prefix: string): string => `${prefix}_${++idCount}`
  const fastify = createHttpServer({ clock, makeId, logger, metrics: createMetrics(), trustProxy: false })
  const rejectUse = async (): Promise<never> => {
    throw new Error('no key was sent')
  }
  const api = createApi({
    fastify,
    clock,
    logger,
    idempotency: { acquire: rejectUse, finish: rejectUse, sweep: rejectUse },
    authenticate: async ({ authorization, session }) => findActor(authorization, session),
    readTenantDirectory: async () => TENANT_DIRECTORY,
    renewAccess: async () => false,
    accessWatch: { watch: () => () => undefined },
    publicHost: 'parley.example',
    audit: {
      record: async (entry) => {
        if (failAudit) throw new Error('the disk is full')
        auditEntries.push(entry)
      },
    },
    background: {
      run: (name, work) => {
        background.push(name)
        work().catch(() => {})
      },
    },
    rateLimit: { settings: { perSecond: 0, burst: 1 }, take: () => ({ allowed: true, remaining: 1, waitMs: 0 }) },
    isPublicHttps: false,
    validateResponses: true,
  })
  for (const operation of operations) mountAny(api, operation, async (_input, context) => describeActor(context.actor))

  return {
    audited: auditEntries,
    background,
    errors,
    async send(requestLine: string, headers: Readonly<Record<string, string>> = {}, body?: object) {
      const [method = '', url = ''] = requestLine.split(' ')
      const payload = body === undefined ? {} : { payload: body }
      const response = await fastify.inject({ method: method as 'GET', url, headers, ...payload })
      const json = response.body === '' ? null : response.json()
      return { status: response.statusCode, code: json?.code ?? null, body: json, headers: response.headers }
    },
    [Symbol.asyncDispose]: () => fastify.close(),
  }
}

/** Describes the actor that a handler received. */
function describeActor(actor: Actor) {
  const levels = [...actor.workspaces].map(([id, { level }]) => `${id}:${level}`).sort()
  return { userId: actor.userId, role: actor.role, accountSid: actor.accountSid, levels }
}

function findActor(authorization: string | undefined, session: string | null): Actor | null {
  if (session !== null) {
    return { ...ACTORS.platform, credentialId: 'session_1', isSession: true, expiresAt: Date.UTC(2030, 0) }
  }
  const kind = authorization?.replace('Bearer ', '') ?? ''
  if (kind === 'reader') return { ...ACTORS.tenant, scopes: new Set(['read']) }
  return Object.hasOwn(ACTORS, kind) ? ACTORS[kind as keyof typeof ACTORS] : null
}
