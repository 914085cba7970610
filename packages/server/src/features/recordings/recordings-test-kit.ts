import { SCOPES } from '@parley/contract/access'
import type { Clock } from '@parley/engine/ports'
import { manualClock } from '@parley/engine/testing/manual-clock'
import { seedCalls } from '../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createApi } from '../../http/api.ts'
import { createIdempotency } from '../../http/idempotency.ts'
import { createMetrics } from '../../http/metrics.ts'
import { createHttpServer } from '../../http/server.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import type { BlobEntry, BlobStore } from '../../kernel/storage/blobs.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { shareClock } from '../../kernel/work/shared-clock.ts'
import { randomId } from '../../platform/system.ts'
import { createTenantDirectoryReader } from '../access/tenant-directory-reader.ts'
import type { CallRecorders } from '../calls/live-calls.ts'
import { reversibleSecrets } from '../features-test-kit.ts'
import { platformAdmin } from '../route-test-kit.ts'
import { createCallRecorders } from './call-recorders.ts'
import { createRecordingLinks } from './recording-links.ts'
import { registerRecordingRoutes } from './recording-routes.ts'
import { createRecordingService, type RecordingService } from './recording-service.ts'
import { createSegmentQueue } from './segment-queue.ts'

/** Blobs in memory. `fail` decides of each `put` whether it fails. */
export function memoryBlobs(fail: (key: string) => boolean = () => false) {
  const byKey = new Map<string, Uint8Array>()
  const blobs: BlobStore = {
    async put(key, bytes) {
      if (fail(key)) throw new AppError('unavailable', 'The disk is full.')
      byKey.set(key, bytes.slice())
    },
    async *read(key, range) {
      const bytes = byKey.get(key)
      if (bytes === undefined) return
      const part = range === undefined ? bytes : bytes.subarray(range.start, range.start + range.length)
      // In odd pieces, as files and networks give them.
      for (let at = 0; at < part.length; at += 777) yield part.subarray(at, at + 777)
    },
    async list(prefix): Promise<readonly BlobEntry[]> {
      const keys = [...byKey.keys()].filter((key) => key.startsWith(prefix)).sort()
      return keys.map((key) => ({ key, sizeBytes: byKey.get(key)?.length ?? 0 }))
    },
    async remove(prefix) {
      for (const key of byKey.keys()) if (key.startsWith(prefix)) byKey.delete(key)
    },
    // Nothing is ever half written here.
    removeDrafts: async () => undefined,
  }
  return { blobs, byKey }
}

/** Both sides of a call: what each sample is follows from its number, different for each side. */
export const callerSample = (index: number): number => ((index * 7) % 20_001) - 10_000
export const agentSample = (index: number): number => ((index * 13) % 16_001) - 8_000

function serveRecordings(
  database: Database,
  {
    clock,
    service,
    actor,
  }: { readonly clock: Clock; readonly service: RecordingService; readonly actor: () => Actor | null },
) {
  const logger = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const fastify = createHttpServer({ clock, makeId: randomId, logger, metrics: createMetrics(), trustProxy: false })
  const api = createApi({
    fastify,
    clock,
    logger,
    idempotency: createIdempotency(database, reversibleSecrets, shareClock(clock)),
    authenticate: async ({ authorization }) => (authorization === undefined ? null : actor()),
    readTenantDirectory: createTenantDirectoryReader(database, clock),
    renewAccess: async () => false,
    accessWatch: { watch: () => () => undefined },
    publicHost: null,
    audit: { record: async () => undefined },
    background: { run: (_name, work) => void work() },
    rateLimit: { settings: { perSecond: 0, burst: 1 }, take: () => ({ allowed: true, remaining: 1, waitMs: 0 }) },
    isPublicHttps: false,
    validateResponses: true,
  })
  registerRecordingRoutes(api, service)
  return fastify
}

/** Recordings over HTTP, with calls of the workspaces 1 and 2 that are over or live. */
export async function openRecordings() {
  const database = await temporaryDatabase()
  const time = manualClock()
  await seedWorkspaces(database)
  await seedCalls(database, [
    { call_id: 'call_over', recording: '{"rateHz":8000}', recording_url: 'x' },
    { call_id: 'call_live', status: 'ongoing' },
    { call_id: 'call_other', workspace_id: 2 },
    { call_id: 'call_silent' },
  ])
  const memory = memoryBlobs()
  const { clock } = time
  const links = createRecordingLinks({
    key: async () => Buffer.alloc(32, 1),
    clock: shareClock(clock),
    baseUrl: () => 'http://127.0.0.1:4100',
  })
  const service = createRecordingService({ database, blobs: memory.blobs, links, clock: shareClock(clock) })
  const recorders = createCallRecorders({
    queue: createSegmentQueue({ blobs: memory.blobs, clock, logError: () => undefined }),
    removeUnretained: async () => undefined,
    logError: () => undefined,
  })
  let actor: Actor | null = { ...platformAdmin, scopes: new Set(SCOPES) }
  const fastify = serveRecordings(database, { clock, service, actor: () => actor })
  const bearer = { authorization: 'Bearer sk_x' }

  return {
    ...memory,
    time,
    database,
    service,
    links,
    actAs: (changes: Partial<Actor>) => {
      actor = { ...platformAdmin, ...changes }
    },
    async get(
      url: string,
      headers: Readonly<Record<string, string>> = bearer,
      method: 'GET' | 'HEAD' | 'DELETE' = 'GET',
    ) {
      const response = await fastify.inject({ method, url, headers })
      return { status: response.statusCode, headers: response.headers, bytes: response.rawPayload }
    },
    bearer,
    /** Records so many samples of both sides. */
    record: (callId: string, samples: number) => record(recorders, callId, samples),
    async [Symbol.asyncDispose]() {
      await fastify.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function record(recorders: CallRecorders, callId: string, samples: number): Promise<void> {
  const recorder = recorders.open({ callId, rateHz: 8_000, onProblem: () => undefined })
  for (let start = 0; start < samples; start += 160) {
    const length = Math.min(160, samples - start)
    recorder.caller(
      Int16Array.from({ length }, (_, index) => callerSample(start + index)),
      start,
    )
    recorder.agent(
      Int16Array.from({ length }, (_, index) => agentSample(start + index)),
      start,
    )
  }
  await recorder.close()
}
