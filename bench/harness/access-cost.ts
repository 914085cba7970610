import { performance } from 'node:perf_hooks'
import { operations } from '@parley/contract/index'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createAccessService, hashToken } from '../../packages/server/src/features/access/access-service.ts'
import { createTenantDirectoryReader } from '../../packages/server/src/features/access/tenant-directory-reader.ts'
import {
  type Admission,
  checkWorkspace,
  createAdmission,
  createRateLimiter,
} from '../../packages/server/src/http/admission.ts'
import { createBackground } from '../../packages/server/src/kernel/work/background.ts'
import { createInProcessBus } from '../../packages/server/src/platform/bus/in-process-bus.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { seedWorkspaces } from '../../testing/seed-workspaces.ts'
import { temporarySqliteDatabase } from '../../testing/temporary-database.ts'

const TOKEN = 'sk_bench'

/**
 * Measures the microseconds per access check of a read: finding the actor of a known token, then checking the rate limit,
 * scope, role, context and workspace level, on the current thread and without HTTP. The actor has access to all `workspaces`.
 */
export async function measureAccessUs(workspaces: number, requests: number): Promise<number> {
  await using database = await temporarySqliteDatabase()
  const ids = Array.from({ length: workspaces }, (_, index) => index + 1)
  await seedWorkspaces(database, ids)
  await database.transaction(async (transaction) => {
    const user = { user_id: 'user_1', email: 'a@example.com', name: '', password_hash: '', role: 'platform_admin' }
    const token = { token_id: 'token_1', token_hash: hashToken(TOKEN), user_id: 'user_1', name: '', scopes: '["read"]' }
    const unsetFields = { workspace_ids: null, expires_at: null, last_used_at: null, revoked_at: null, created_at: 0 }
    const owner = { ...user, provider_id: null, account_sid: null, created_at: 0 }
    await transaction.insertInto('users').values(owner).execute()
    await transaction
      .insertInto('api_tokens')
      .values({ ...token, ...unsetFields })
      .execute()
  })
  const logError = (name: string, error: unknown): void => console.error(name, error)
  const background = createBackground({ clock: systemClock, logError })
  const readTenantDirectory = createTenantDirectoryReader(database, systemClock)
  const bus = createInProcessBus(logError)
  const access = createAccessService({
    database,
    background,
    bus,
    clock: systemClock,
    readTenantDirectory,
    sessionIdleMs: 60_000,
  })
  const settings = { perSecond: 1_000_000, burst: 1_000_000 }
  const rateLimit = { settings, take: createRateLimiter(settings, systemClock) }
  const admit = createAdmission(
    {
      authenticate: access.authenticate,
      readTenantDirectory,
      renewAccess: access.renew,
      rateLimit,
      publicHost: null,
      isPublicHttps: false,
    },
    operations.getAgent,
  )
  const reply = { header: () => reply } as unknown as FastifyReply
  const headers = { authorization: `Bearer ${TOKEN}`, host: '127.0.0.1' }
  const request = { headers, ip: '127.0.0.1', method: 'GET', admitted: null } as unknown as FastifyRequest
  const timeRequests = async (times: number): Promise<number> => {
    const startedAt = performance.now()
    for (let index = 0; index < times; index += 1) {
      await admit(request, reply)
      checkWorkspace(request.admission as Admission, 'read', (index % workspaces) + 1)
    }
    return ((performance.now() - startedAt) * 1000) / times
  }
  await timeRequests(requests)
  const costUs = await timeRequests(requests)
  await background.drain(1000)
  return costUs
}
