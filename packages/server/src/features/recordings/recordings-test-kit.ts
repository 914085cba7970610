import { SCOPES } from '@parley/contract/access'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { seedCalls } from '../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError } from '../../kernel/errors.ts'
import type { BlobEntry, BlobStore } from '../../kernel/storage/blobs.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { randomId } from '../../platform/system.ts'
import type { CallRecorders } from '../calls/live-calls.ts'
import { openTestApi, platformAdmin } from '../route-test-kit.ts'
import { createCallRecorders } from './call-recorders.ts'
import { createRecordingLinks, createRecordingService, registerRecordingRoutes } from './recording-service.ts'
import { createSegmentQueue } from './segment-queue.ts'

/** Creates an in-memory blob store. `fail` decides whether a `put` fails. */
export function createMemoryBlobs(shouldFail: (key: string) => boolean = () => false) {
  const byKey = new Map<string, Uint8Array>()
  const blobs: BlobStore = {
    async put(key, bytes) {
      if (shouldFail(key)) throw new AppError('unavailable', 'The disk is full.')
      byKey.set(key, bytes.slice())
    },
    async *read(key, range) {
      const bytes = byKey.get(key)
      if (bytes === undefined) return
      const part = range === undefined ? bytes : bytes.subarray(range.start, range.start + range.length)
      // Yields odd chunk sizes, as files and networks do.
      for (let offset = 0; offset < part.length; offset += 777) yield part.subarray(offset, offset + 777)
    },
    async list(prefix): Promise<readonly BlobEntry[]> {
      const keys = [...byKey.keys()].filter((key) => key.startsWith(prefix)).sort()
      return keys.map((key) => ({ key, sizeBytes: byKey.get(key)?.length ?? 0 }))
    },
    async remove(prefix) {
      for (const key of byKey.keys()) if (key.startsWith(prefix)) byKey.delete(key)
    },
    // An in-memory store has no partial writes.
    removeDrafts: async () => undefined,
  }
  return { blobs, byKey }
}

/** Both sides of a call. Each sample is derived from its index, differently for each side. */
export const computeCallerSample = (index: number): number => ((index * 7) % 20_001) - 10_000
export const computeAgentSample = (index: number): number => ((index * 13) % 16_001) - 8_000

/** Serves recordings over HTTP, with ended and live calls of workspaces 1 and 2. */
export async function openRecordings() {
  const database = await temporaryDatabase()
  const time = createManualClock()
  await seedWorkspaces(database)
  await seedCalls(database, [
    { call_id: 'call_over', recording: '{"rateHz":8000}', recording_url: 'x' },
    { call_id: 'call_live', status: 'ongoing' },
    { call_id: 'call_other', workspace_id: 2 },
    { call_id: 'call_silent' },
  ])
  const memoryBlobs = createMemoryBlobs()
  const { clock } = time
  const links = createRecordingLinks({
    getKey: async () => Buffer.alloc(32, 1),
    clock: createSharedClock(clock),
    getBaseUrl: () => 'http://127.0.0.1:4100',
  })
  const service = createRecordingService({ database, blobs: memoryBlobs.blobs, links, clock: createSharedClock(clock) })
  const recorders = createCallRecorders({
    queue: createSegmentQueue({ blobs: memoryBlobs.blobs, clock, logError: () => undefined }),
    removeLateAudio: async () => undefined,
    logError: () => undefined,
  })
  let actor: Actor | null = { ...platformAdmin, scopes: new Set(SCOPES) }
  const { fastify, api } = openTestApi(
    { database, clock, makeId: randomId },
    { authenticate: async ({ authorization }) => (authorization === undefined ? null : actor) },
  )
  registerRecordingRoutes(api, service)
  const bearer = { authorization: 'Bearer sk_x' }

  return {
    ...memoryBlobs,
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
    /** Records this many samples of both sides. */
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
    recorder.recordCaller(
      Int16Array.from({ length }, (_, index) => computeCallerSample(start + index)),
      start,
    )
    recorder.recordAgent(
      Int16Array.from({ length }, (_, index) => computeAgentSample(start + index)),
      start,
    )
  }
  await recorder.close()
}
