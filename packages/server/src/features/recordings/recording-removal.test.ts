import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nextTurn } from '../../../../../testing/next-turn.ts'
import { seedCalls } from '../../../../../testing/seed-calls.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { AppError } from '../../kernel/errors.ts'
import type { BlobStore } from '../../kernel/storage/blobs.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createBlobFolder } from '../../platform/blobs/blob-folder.ts'
import { openJobs, readJobs, waitForJob } from '../../platform/queue/job-test-kit.ts'
import { createCallRecorders } from './call-recorders.ts'
import { formatSegmentKey } from './recording-layout.ts'
import { createRecordingRemoval } from './recording-removal.ts'
import { createRecordingService } from './recording-service.ts'
import { createMemoryBlobs } from './recordings-test-kit.ts'
import { createSegmentQueue } from './segment-queue.ts'

const HOUR_MS = 3_600_000
const SEGMENT_FORMAT = { rateHz: 16_000, segmentMs: 2_000 }
/** Long polling interval for tests that let days pass. */
const POLL_OPTIONS = { pollIntervalMs: HOUR_MS, leaseMs: 3 * HOUR_MS }

async function openRemoval(blobs: BlobStore) {
  const jobs = await openJobs()
  const { database, time, queue } = jobs
  const { clock } = time
  await seedWorkspaces(database)
  const recordings = createRecordingService({
    database,
    blobs,
    clock: createSharedClock(clock),
    links: { isValid: async () => false },
  })
  const removal = createRecordingRemoval({ database, clock: createSharedClock(clock), jobs: queue, recordings })
  const segments = createSegmentQueue({ blobs, clock, logError: (_name, error) => expect(error).toBeNull() })
  const recorders = createCallRecorders({
    queue: segments,
    removeLateAudio: removal.removeLateAudio,
    logError: (_name, error) => expect(error).toBeNull(),
  })
  return {
    ...jobs,
    recordings,
    removal,
    recorders,
    remove: (callId: string) => database.batch([removal.buildRemovalStatement(callId)]),
    /** Records ten seconds of audio. */
    record(callId: string) {
      const recorder = recorders.open({ callId, rateHz: 16_000, onProblem: (message) => expect(message).toBe('') })
      for (let index = 0; index < 500; index += 1) recorder.recordCaller(new Int16Array(320).fill(index), index * 320)
      return recorder
    },
    /** Returns the pending jobs after all due jobs have run. */
    async waitForDueJobs() {
      for (;;) {
        const jobs = await readJobs(database)
        const remaining = jobs.filter(({ status }) => status !== 'done')
        const areAllScheduled = remaining.every(({ status, run_at }) => status === 'pending' && run_at > clock.now())
        if (jobs.length > 0 && areAllScheduled) return remaining
        await nextTurn()
      }
    },
  }
}

test('audio in a folder is deleted when the committed removal job runs', async () => {
  const path = await mkdtemp(join(tmpdir(), 'parley-recordings-'))
  let count = 0
  const blobs = createBlobFolder({
    path,
    makeUniqueSuffix() {
      count += 1
      return String(count)
    },
  })
  await using kit = await openRemoval(blobs)
  await seedCalls(kit.database, [
    { call_id: 'call_a', status: 'ongoing' },
    { call_id: 'call_b', status: 'ongoing' },
  ])
  for (const callId of ['call_a', 'call_b']) await kit.record(callId).close()
  expect(await kit.recordings.describe('call_a')).toEqual({
    rateHz: 16_000,
    durationMs: 10_000,
    sizeBytes: 640_044,
  })
  kit.startWorker(kit.removal.handlers)
  await kit.remove('call_a')
  await kit.waitForDueJobs()
  expect(await kit.recordings.describe('call_a')).toBeNull()
  expect(await readdir(join(path, 'recordings'))).toEqual(['call_b'])
  await rm(path, { recursive: true })
})

test('a recording is deleted once the disk recovers, even after days, and does not block others', async () => {
  const { blobs, byKey } = createMemoryBlobs()
  let isBroken = true
  await using kit = await openRemoval({
    ...blobs,
    async remove(prefix) {
      if (isBroken && prefix.includes('call_a')) throw new AppError('unavailable', 'The disk is unavailable.')
      await blobs.remove(prefix)
    },
  })
  const { database, time } = kit
  await seedCalls(database, [{ call_id: 'call_a' }, { call_id: 'call_b' }])
  for (const callId of ['call_a', 'call_b'])
    await blobs.put(formatSegmentKey(callId, 0, SEGMENT_FORMAT), new Uint8Array(8))
  await database.transaction((transaction) => kit.removal.removeAllInWorkspace(transaction, 1))
  kit.startWorker(kit.removal.handlers, POLL_OPTIONS)
  const startedAtMs = time.clock.now()
  for (let attempt = 1; attempt <= 60; attempt += 1) {
    const job = await waitForJob(database, ({ attempts, status }) => attempts === attempt && status !== 'running')
    expect(job).toMatchObject({ attempts: attempt, status: 'pending' })
    await time.advance(job.run_at - time.clock.now() - 1)
    isBroken = attempt < 60
    expect([...byKey.keys()]).toEqual([formatSegmentKey('call_a', 0, SEGMENT_FORMAT)])
    await time.advance(1)
  }
  expect(time.clock.now() - startedAtMs).toBeGreaterThan(48 * HOUR_MS)
  await waitForJob(database, ({ status }) => status === 'done')
  expect(byKey.size).toBe(0)
})

test('audio that other nodes write after the removal is deleted an hour later', async () => {
  const { blobs, byKey } = createMemoryBlobs()
  await using kit = await openRemoval(blobs)
  const { time } = kit
  kit.startWorker(kit.removal.handlers, POLL_OPTIONS)
  await kit.remove('call_a')
  expect((await kit.waitForDueJobs()).map(({ run_at }) => run_at - time.clock.now())).toEqual([HOUR_MS])
  await blobs.put(formatSegmentKey('call_a', 7, SEGMENT_FORMAT), new Uint8Array(8))
  await time.advance(HOUR_MS)
  expect(await kit.waitForDueJobs()).toEqual([])
  expect(byKey.size).toBe(0)
})

test.each([
  ['removed', { recording: null }],
  ['deleted', null],
])('segments written when the recording was %s are deleted', async (_state, columns) => {
  const { blobs, byKey } = createMemoryBlobs()
  const disk = Promise.withResolvers<void>()
  await using kit = await openRemoval({
    ...blobs,
    async put(key, bytes) {
      await disk.promise
      await blobs.put(key, bytes)
    },
  })
  const { database } = kit
  await seedCalls(database, [{ call_id: 'call_a', status: 'ongoing' }])
  kit.startWorker(kit.removal.handlers, POLL_OPTIONS)
  // The disk hangs. The call does not wait for the disk, and finalizing the recording removes its audio.
  const closing = kit.record('call_a').close()
  const { queryBuilder } = database
  const query =
    columns === null
      ? queryBuilder.deleteFrom('calls').compile()
      : queryBuilder
          .updateTable('calls')
          .set({ ...columns, status: 'ended' })
          .compile()
  await database.batch([{ query }, kit.removal.buildRemovalStatement('call_a')])
  await kit.waitForDueJobs()
  disk.resolve()
  await closing
  expect(byKey.size).toBeGreaterThan(0)
  await kit.waitForDueJobs()
  expect(byKey.size).toBe(0)
})

test.each([
  ['is live', { status: 'ongoing' }],
  ['has a recording', { status: 'ended', recording: '{"rateHz":16000}' }],
])('the audio of a call that %s stays when its recorder closes', async (_state, columns) => {
  const { blobs, byKey } = createMemoryBlobs()
  await using kit = await openRemoval(blobs)
  await seedCalls(kit.database, [{ call_id: 'call_a', ...columns }])
  await kit.record('call_a').close()
  expect(byKey.size).toBe(5)
  expect(await readJobs(kit.database)).toEqual([])
})
