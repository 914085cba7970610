import { describe, expect, test } from 'vitest'
import type { Job } from '../../../kernel/work/jobs.ts'
import { INGEST } from './ingest-job.ts'
import { BASE, openIngestion } from './ingest-test-kit.ts'
import { createIngestion } from './ingestion.ts'

const buildJob = (sourceId: string, runId: string, attempt = 1): Job => ({
  jobId: 'job_x',
  kind: INGEST,
  payload: { sourceId, readingId: runId },
  attempt,
  maxAttempts: 30,
})

const LONG = Array.from({ length: 250 }, (_, index) => `Passage ${index}.`).join('\n\n')

test('the later of two concurrent attempts wins, without duplicates', async () => {
  await using ingestion = await openIngestion()
  await ingestion.addBase()
  const id = await ingestion.addText(LONG)
  const handler = createIngestion(ingestion.dependencies).handlers[INGEST]
  const gate = Promise.withResolvers<void>()
  const delays = [gate.promise, Promise.resolve()]
  const started = Promise.withResolvers<void>()
  ingestion.scenario.whilePreparing = async () => {
    started.resolve()
    await delays.shift()
  }
  const { signal } = new AbortController()
  const first = handler?.run(buildJob(id, id), signal)
  await started.promise
  await handler?.run(buildJob(id, id, 2), signal)
  const rows = await ingestion.readChunks()
  gate.resolve()
  await first
  expect(await ingestion.readChunks()).toEqual(rows)
  expect(rows).toHaveLength(250)
  expect(await ingestion.readBase()).toMatchObject({ revision: 1 })
  expect(await ingestion.readPublishedEvents()).toHaveLength(1)
})

test('retries an attempt that lost the source while the other one still works', async () => {
  await using ingestion = await openIngestion()
  await ingestion.addBase()
  const id = await ingestion.addText('A bell costs 5.')
  const handler = createIngestion(ingestion.dependencies).handlers[INGEST]
  const { queryBuilder } = ingestion.database
  ingestion.scenario.whilePreparing = async () => {
    const claimStatement = queryBuilder
      .updateTable('knowledge_sources')
      .set({ reading_id: `${id}/other` })
      .where('source_id', '=', id)
    await ingestion.change(claimStatement)
  }
  await expect(handler?.run(buildJob(id, id), new AbortController().signal)).rejects.toThrow('taken over')
  expect(await ingestion.readSource(id)).toMatchObject({ status: 'processing', generation: 0 })
})

describe('during an ingestion run', () => {
  test.each(['knowledge_sources', 'knowledge_bases'] as const)('a deletion from %s leaves no trace', async (table) => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    await ingestion.addText(LONG)
    ingestion.scenario.whilePreparing = () =>
      ingestion.change(ingestion.database.queryBuilder.deleteFrom(table).where('knowledge_base_id', '=', BASE))
    await ingestion.run()
    expect([await ingestion.readSources(), await ingestion.readChunks(), await ingestion.readParts()]).toEqual([
      [],
      [],
      [],
    ])
    expect((await ingestion.jobRows(INGEST)).map(({ status }) => status)).toEqual(['done'])
    expect(await ingestion.readPublishedEvents()).toEqual([])
  })

  test('a new run cancels the current one', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    const id = await ingestion.addText('A bell costs 5.')
    ingestion.scenario.whilePreparing = () =>
      ingestion.change(
        ingestion.database.queryBuilder.updateTable('knowledge_sources').set({ reading_id: 'source_new' }),
      )
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({
      status: 'processing',
      reading_id: 'source_new',
      generation: 0,
    })
    expect(await ingestion.readChunks()).toEqual([])
  })
})

test('publishes readiness once when two nodes finish at the same time', async () => {
  await using ingestion = await openIngestion()
  await ingestion.addBase()
  const ids = [await ingestion.addText('One.'), await ingestion.addText('Two.'), await ingestion.addText('Three.')]
  const handler = createIngestion(ingestion.dependencies).handlers[INGEST]
  const { signal } = new AbortController()
  await Promise.all(ids.map((id) => handler?.run(buildJob(id, id), signal)))
  expect(await ingestion.readPublishedEvents()).toHaveLength(1)
  expect(await ingestion.readBase()).toMatchObject({ revision: 3 })
})

test('a canceled attempt writes nothing more', async () => {
  await using ingestion = await openIngestion()
  await ingestion.addBase()
  const id = await ingestion.addText('A bell costs 5.')
  const handler = createIngestion(ingestion.dependencies).handlers[INGEST]
  const abort = new AbortController()
  ingestion.scenario.whilePreparing = async () => abort.abort(new Error('The lease lapsed.'))
  await expect(handler?.run(buildJob(id, id), abort.signal)).rejects.toThrow('The lease lapsed.')
  expect(await ingestion.readSource(id)).toMatchObject({ status: 'processing' })
  await ingestion.run()
  expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready' })
})
