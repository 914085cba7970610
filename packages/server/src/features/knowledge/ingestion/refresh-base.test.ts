import { describe, expect, test } from 'vitest'
import { CRAWL, INGEST } from './ingest-job.ts'
import { BASE, openIngestion, type TestIngestion } from './ingest-test-kit.ts'
import { refreshBase } from './refresh-base.ts'

const DAY_MS = 86_400_000
const READY = { status: 'ready', generation: 1 }

function refresh(opened: TestIngestion, sourceIds?: readonly string[]) {
  const { database, clock, jobs, makeId } = opened
  const now = clock.now()
  return database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, sourceIds, now }, { jobs, makeId }),
  )
}

const run = (opened: TestIngestion, kind: string) =>
  opened.database.batch([opened.jobs.buildEnqueueStatement({ kind, payload: {} })]).then(() => opened.run())

describe('a refresh', () => {
  test('reads pages and failed sources, and skips sources that need nothing', async () => {
    await using opened = await openIngestion()
    const crawl = [{ path: 'https://a.example/', exclude: [], maxPages: 3 }]
    await opened.addBase({ auto_refresh: 1, refresh_hours: 12, crawl: JSON.stringify(crawl) })
    const ids = {
      page: await opened.addPage('https://a.example/1', READY),
      failedPage: await opened.addPage('https://a.example/2', { status: 'error', error: 'Down.' }),
      readPage: await opened.addPage('https://a.example/3', {
        status: 'refreshing',
        generation: 1,
        reading_id: 'source_r',
      }),
      text: await opened.addText('Fine.', READY),
      failedText: await opened.addText('BROKEN', { status: 'error', error: 'Broken.' }),
      lostText: await opened.addSource({ status: 'error', error: 'Broken.' }),
    }
    expect(await refresh(opened)).toBe(3)
    const status = async (id: string) => (await opened.source(id))?.status
    expect(await Promise.all(Object.values(ids).map(status))).toEqual([
      'refreshing',
      'processing',
      'refreshing',
      'ready',
      'processing',
      'error',
    ])
    expect(await opened.source(ids.readPage)).toMatchObject({ reading_id: 'source_r' })
    expect(await opened.source(ids.failedText)).toMatchObject({ error: null })
    const now = opened.clock.now()
    expect(await opened.base()).toMatchObject({ refreshed_at: now, refresh_due_at: now + DAY_MS / 2, revision: 0 })
    expect(await opened.jobRows(INGEST)).toHaveLength(3)
    expect(await opened.jobRows(CRAWL)).toMatchObject([
      { payload: `{"knowledgeBaseId":"${BASE}","path":"https://a.example/"}` },
    ])
  })

  test('of some sources reads only these', async () => {
    await using opened = await openIngestion()
    await opened.addBase({
      auto_refresh: 1,
      crawl: JSON.stringify([{ path: 'https://a.example/', exclude: [], maxPages: 3 }]),
    })
    const [first] = [
      await opened.addPage('https://a.example/1', READY),
      await opened.addPage('https://a.example/2', READY),
    ]
    expect(await refresh(opened, [first])).toBe(1)
    expect(await opened.jobRows(INGEST)).toHaveLength(1)
    expect(await opened.jobRows(CRAWL)).toEqual([])
    expect(await opened.base()).toMatchObject({ refreshed_at: opened.clock.now(), refresh_due_at: null })
  })
})

test('due refreshes start once', async () => {
  await using opened = await openIngestion()
  const now = opened.clock.now()
  await opened.addBase({ auto_refresh: 1, refresh_due_at: now })
  await opened.addBase({ knowledge_base_id: 'knowledge_base_2', auto_refresh: 1, refresh_due_at: now + 1 })
  opened.scenario.pages.set('https://a.example/1', 'New.')
  const id = await opened.addPage('https://a.example/1', READY)
  await run(opened, 'knowledge-refresh-due')
  await run(opened, 'knowledge-refresh-due')
  expect(opened.scenario.fetched).toHaveLength(1)
  expect(await opened.source(id)).toMatchObject({ status: 'ready', generation: 2 })
  expect(await opened.base()).toMatchObject({ refresh_due_at: now + DAY_MS })
  expect(await opened.base('knowledge_base_2')).toMatchObject({ refresh_due_at: now + 1, refreshed_at: null })
})

describe('long-pending sources', () => {
  const KIND = 'knowledge-look-for-lost-sources'

  async function openLost() {
    const opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addText('A bell costs 5.')
    return { opened, id, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
  }

  test('are read again when their job was lost', async () => {
    await using scene = await openLost()
    const { opened, id } = scene
    await opened.change(opened.database.compile.deleteFrom('jobs'))
    await run(opened, KIND)
    expect(await opened.source(id)).toMatchObject({ status: 'processing' })
    await opened.time.advance(900_000)
    await run(opened, KIND)
    expect(await opened.source(id)).toMatchObject({ status: 'ready' })
  })

  test('fail when their job has failed permanently', async () => {
    await using scene = await openLost()
    const { opened, id } = scene
    await opened.change(opened.database.compile.updateTable('jobs').set({ status: 'failed' }))
    await opened.time.advance(900_000)
    await run(opened, KIND)
    expect(await opened.source(id)).toMatchObject({ status: 'error', error: expect.stringContaining('interrupted') })
    expect(await opened.originals()).toHaveLength(1)
  })

  test('wait while their job lives', async () => {
    await using scene = await openLost()
    const { opened, id } = scene
    const later = opened.clock.now() + DAY_MS
    await opened.change(opened.database.compile.updateTable('jobs').set({ run_at: later }))
    await opened.time.advance(1_000_000)
    await run(opened, KIND)
    expect(await opened.source(id)).toMatchObject({ status: 'processing' })
    expect(await opened.jobRows(INGEST)).toHaveLength(1)
  })
})
