import { describe, expect, test } from 'vitest'
import type { Job } from '../../../kernel/work/jobs.ts'
import { INGEST } from './ingest-job.ts'
import { BASE, openIngestion } from './ingest-test-kit.ts'
import { createIngestion } from './ingestion.ts'

const jobOf = (sourceId: string, readingId: string, attempt = 1): Job => ({
  jobId: 'job_x',
  kind: INGEST,
  payload: { sourceId, readingId },
  attempt,
  maxAttempts: 30,
})

const LONG = Array.from({ length: 250 }, (_, index) => `Passage ${index}.`).join('\n\n')

test('of two attempts at once the later one counts, and nothing is there twice', async () => {
  await using opened = await openIngestion()
  await opened.addBase()
  const id = await opened.addText(LONG)
  const handler = createIngestion(opened.dependencies).handlers[INGEST]
  const gate = Promise.withResolvers<void>()
  const waits = [gate.promise, Promise.resolve()]
  const started = Promise.withResolvers<void>()
  opened.scenario.whilePreparing = async () => {
    started.resolve()
    await waits.shift()
  }
  const { signal } = new AbortController()
  const first = handler?.run(jobOf(id, id), signal)
  await started.promise
  await handler?.run(jobOf(id, id, 2), signal)
  const rows = await opened.chunks()
  gate.resolve()
  await first
  expect(await opened.chunks()).toEqual(rows)
  expect(rows).toHaveLength(250)
  expect(await opened.base()).toMatchObject({ revision: 1 })
  expect(await opened.publishedEvents()).toHaveLength(1)
})

test('an attempt that lost the source while the other one still works is tried again', async () => {
  await using opened = await openIngestion()
  await opened.addBase()
  const id = await opened.addText('A bell costs 5.')
  const handler = createIngestion(opened.dependencies).handlers[INGEST]
  const { compile } = opened.database
  opened.scenario.whilePreparing = async () => {
    const claimStatement = compile
      .updateTable('knowledge_sources')
      .set({ reading_id: `${id}/other` })
      .where('source_id', '=', id)
    await opened.change(claimStatement)
  }
  await expect(handler?.run(jobOf(id, id), new AbortController().signal)).rejects.toThrow('taken over')
  expect(await opened.source(id)).toMatchObject({ status: 'processing', generation: 0 })
})

describe('in the middle of a reading', () => {
  test.each(['knowledge_sources', 'knowledge_bases'] as const)('a delete from %s leaves no trace', async (table) => {
    await using opened = await openIngestion()
    await opened.addBase()
    await opened.addText(LONG)
    opened.scenario.whilePreparing = () =>
      opened.change(opened.database.compile.deleteFrom(table).where('knowledge_base_id', '=', BASE))
    await opened.run()
    expect([await opened.sources(), await opened.chunks(), await opened.parts()]).toEqual([[], [], []])
    expect((await opened.jobRows(INGEST)).map(({ status }) => status)).toEqual(['done'])
    expect(await opened.publishedEvents()).toEqual([])
  })

  test('a new reading makes the one under way void', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addText('A bell costs 5.')
    opened.scenario.whilePreparing = () =>
      opened.change(opened.database.compile.updateTable('knowledge_sources').set({ reading_id: 'source_new' }))
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ status: 'processing', reading_id: 'source_new', generation: 0 })
    expect(await opened.chunks()).toEqual([])
  })
})

test('the word that all is ready is told once when two nodes finish at the same time', async () => {
  await using opened = await openIngestion()
  await opened.addBase()
  const ids = [await opened.addText('One.'), await opened.addText('Two.'), await opened.addText('Three.')]
  const handler = createIngestion(opened.dependencies).handlers[INGEST]
  const { signal } = new AbortController()
  await Promise.all(ids.map((id) => handler?.run(jobOf(id, id), signal)))
  expect(await opened.publishedEvents()).toHaveLength(1)
  expect(await opened.base()).toMatchObject({ revision: 3 })
})

test('an attempt that is called off writes nothing more', async () => {
  await using opened = await openIngestion()
  await opened.addBase()
  const id = await opened.addText('A bell costs 5.')
  const handler = createIngestion(opened.dependencies).handlers[INGEST]
  const abort = new AbortController()
  opened.scenario.whilePreparing = async () => abort.abort(new Error('The lease lapsed.'))
  await expect(handler?.run(jobOf(id, id), abort.signal)).rejects.toThrow('The lease lapsed.')
  expect(await opened.source(id)).toMatchObject({ status: 'processing' })
  await opened.run()
  expect(await opened.source(id)).toMatchObject({ status: 'ready' })
})
