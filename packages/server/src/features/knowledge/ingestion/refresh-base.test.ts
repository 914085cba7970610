import { describe, expect, test } from 'vitest'
import { CRAWL, INGEST } from './ingest-job.ts'
import { BASE, openIngestion, type TestIngestion } from './ingest-test-kit.ts'
import { refreshBase } from './refresh-base.ts'

const DAY_MS = 86_400_000
const READY = { status: 'ready', generation: 1 }

function refresh(ingestion: TestIngestion, sourceIds?: readonly string[]) {
  const { database, clock, jobs, makeId } = ingestion
  const now = clock.now()
  return database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, sourceIds, now }, { jobs, makeId }),
  )
}

const runJob = (ingestion: TestIngestion, kind: string) =>
  ingestion.database.batch([ingestion.jobs.buildEnqueueStatement({ kind, payload: {} })]).then(() => ingestion.run())

describe('a refresh', () => {
  test('reads pages and failed sources, and skips sources that need nothing', async () => {
    await using ingestion = await openIngestion()
    const crawl = [{ path: 'https://a.example/', exclude: [], maxPages: 3 }]
    await ingestion.addBase({ auto_refresh: 1, refresh_hours: 12, crawl: JSON.stringify(crawl) })
    const ids = {
      page: await ingestion.addPage('https://a.example/1', READY),
      failedPage: await ingestion.addPage('https://a.example/2', { status: 'error', error: 'Down.' }),
      readPage: await ingestion.addPage('https://a.example/3', {
        status: 'refreshing',
        generation: 1,
        reading_id: 'source_r',
      }),
      text: await ingestion.addText('Fine.', READY),
      failedText: await ingestion.addText('BROKEN', { status: 'error', error: 'Broken.' }),
      lostText: await ingestion.addSource({ status: 'error', error: 'Broken.' }),
    }
    expect(await refresh(ingestion)).toBe(3)
    const status = async (id: string) => (await ingestion.readSource(id))?.status
    expect(await Promise.all(Object.values(ids).map(status))).toEqual([
      'refreshing',
      'processing',
      'refreshing',
      'ready',
      'processing',
      'error',
    ])
    expect(await ingestion.readSource(ids.readPage)).toMatchObject({ reading_id: 'source_r' })
    expect(await ingestion.readSource(ids.failedText)).toMatchObject({ error: null })
    const now = ingestion.clock.now()
    expect(await ingestion.readBase()).toMatchObject({
      refreshed_at: now,
      refresh_due_at: now + DAY_MS / 2,
      revision: 0,
    })
    expect(await ingestion.jobRows(INGEST)).toHaveLength(3)
    expect(await ingestion.jobRows(CRAWL)).toMatchObject([
      { payload: `{"knowledgeBaseId":"${BASE}","path":"https://a.example/"}` },
    ])
  })

  test('reads only the selected sources', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase({
      auto_refresh: 1,
      crawl: JSON.stringify([{ path: 'https://a.example/', exclude: [], maxPages: 3 }]),
    })
    const [first] = [
      await ingestion.addPage('https://a.example/1', READY),
      await ingestion.addPage('https://a.example/2', READY),
    ]
    expect(await refresh(ingestion, [first])).toBe(1)
    expect(await ingestion.jobRows(INGEST)).toHaveLength(1)
    expect(await ingestion.jobRows(CRAWL)).toEqual([])
    expect(await ingestion.readBase()).toMatchObject({ refreshed_at: ingestion.clock.now(), refresh_due_at: null })
  })
})

test('due refreshes start once', async () => {
  await using ingestion = await openIngestion()
  const now = ingestion.clock.now()
  await ingestion.addBase({ auto_refresh: 1, refresh_due_at: now })
  await ingestion.addBase({ knowledge_base_id: 'knowledge_base_2', auto_refresh: 1, refresh_due_at: now + 1 })
  ingestion.scenario.pages.set('https://a.example/1', 'New.')
  const id = await ingestion.addPage('https://a.example/1', READY)
  await runJob(ingestion, 'knowledge-refresh-due')
  await runJob(ingestion, 'knowledge-refresh-due')
  expect(ingestion.scenario.fetched).toHaveLength(1)
  expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready', generation: 2 })
  expect(await ingestion.readBase()).toMatchObject({ refresh_due_at: now + DAY_MS })
  expect(await ingestion.readBase('knowledge_base_2')).toMatchObject({ refresh_due_at: now + 1, refreshed_at: null })
})

describe('long-pending sources', () => {
  const KIND = 'knowledge-look-for-lost-sources'

  async function openLost() {
    const ingestion = await openIngestion()
    await ingestion.addBase()
    const id = await ingestion.addText('A bell costs 5.')
    return { ingestion, id, [Symbol.asyncDispose]: () => ingestion[Symbol.asyncDispose]() }
  }

  test('are read again when their job was lost', async () => {
    await using scene = await openLost()
    const { ingestion, id } = scene
    await ingestion.change(ingestion.database.queryBuilder.deleteFrom('jobs'))
    await runJob(ingestion, KIND)
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'processing' })
    await ingestion.time.advance(900_000)
    await runJob(ingestion, KIND)
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready' })
  })

  test('fail when their job has failed permanently', async () => {
    await using scene = await openLost()
    const { ingestion, id } = scene
    await ingestion.change(ingestion.database.queryBuilder.updateTable('jobs').set({ status: 'failed' }))
    await ingestion.time.advance(900_000)
    await runJob(ingestion, KIND)
    expect(await ingestion.readSource(id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('interrupted'),
    })
    expect(await ingestion.readOriginals()).toHaveLength(1)
  })

  test('wait while their job is pending', async () => {
    await using scene = await openLost()
    const { ingestion, id } = scene
    const later = ingestion.clock.now() + DAY_MS
    await ingestion.change(ingestion.database.queryBuilder.updateTable('jobs').set({ run_at: later }))
    await ingestion.time.advance(1_000_000)
    await runJob(ingestion, KIND)
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'processing' })
    expect(await ingestion.jobRows(INGEST)).toHaveLength(1)
  })
})
