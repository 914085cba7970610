import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manualClock } from '@parley/engine/testing/manual-clock'
import { expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createBlobFolder } from '../../platform/blobs/blob-folder.ts'
import { createJobQueue } from '../../platform/queue/job-queue.ts'
import { randomId } from '../../platform/system.ts'
import { createCallTapes } from './call-tapes.ts'
import { createRecordingRemoval } from './recording-removal.ts'
import { createRecordingService } from './recording-service.ts'
import { createSegmentQueue } from './segment-queue.ts'

test('what is recorded into a folder is gone once its removal was committed and has run', async () => {
  const path = await mkdtemp(join(tmpdir(), 'parley-recordings-'))
  await using database = await temporaryDatabase()
  const { clock } = manualClock()
  let count = 0
  const blobs = createBlobFolder({
    path,
    makeUnique() {
      count += 1
      return String(count)
    },
  })
  const tapes = createCallTapes(
    createSegmentQueue({ blobs, clock, logError: (_name, error) => expect(error).toBeNull() }),
  )
  const service = createRecordingService({ database, blobs, clock, links: { isGood: async () => false } })
  for (const callId of ['call_a', 'call_b']) {
    const tape = tapes.open({ callId, rateHz: 16_000, onTrouble: (message) => expect(message).toBe('') })
    for (let index = 0; index < 500; index += 1) tape.caller(new Int16Array(320).fill(index), index * 320)
    await tape.close()
  }
  expect(await service.describe('call_a')).toEqual({ rateHz: 16_000, durationMs: 10_000, sizeBytes: 640_044 })

  const jobs = createJobQueue({ database, clock, makeId: randomId })
  const removal = createRecordingRemoval({ jobs, recordings: service })
  await database.batch([removal.remove('call_a')])
  const { kind, payload } = await database.read.selectFrom('jobs').select(['kind', 'payload']).executeTakeFirstOrThrow()
  const job = { jobId: 'job_1', kind, payload: JSON.parse(String(payload)), attempt: 1, maxAttempts: 10 }
  for (let time = 0; time < 2; time += 1) await removal.handlers[kind]?.run(job, new AbortController().signal)
  expect(await service.describe('call_a')).toBeNull()
  expect(await readdir(join(path, 'recordings'))).toEqual(['call_b'])
  await rm(path, { recursive: true })
})
