import { expect, test } from 'vitest'
import {
  BASE,
  createCrashingDatabase,
  createTestEmbedder,
  openIngestion,
  ProcessCrashError,
  type TestIngestion,
} from './ingest-test-kit.ts'
import { refreshBase } from './refresh-base.ts'

const SITE = 'https://shop.example/'
const PAGES = {
  [SITE]: '# Shop\n\nWelcome.\n\nlink: https://shop.example/bells\nlink: https://shop.example/tires',
  'https://shop.example/bells': 'A bell costs 5.',
  'https://shop.example/tires': Array.from({ length: 130 }, (_, index) => `Tire ${index}.`).join('\n\n'),
}

/** Opens ingestion with a text, and a site that changed after its first reading. */
async function openScene(): Promise<TestIngestion> {
  const opened = await openIngestion({ embedder: createTestEmbedder().embedder })
  const { database, clock, jobs, makeId, scenario } = opened
  await opened.addBase({ crawl: JSON.stringify([{ path: SITE, exclude: [], maxPages: 10 }]) })
  for (const [url, text] of Object.entries(PAGES)) scenario.pages.set(url, text)
  scenario.pages.set(SITE, '# Shop\n\nWelcome.\n\nlink: https://shop.example/tires')
  await opened.addPage(SITE, { crawl_path: SITE })
  await opened.run()
  await opened.pass(60_000)
  await opened.pass(60_000)
  scenario.pages.set(SITE, PAGES[SITE])
  scenario.pages.set('https://shop.example/tires', 'All tires cost 18.')
  await opened.addText('Opening hours: 9 to 5.')
  await database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, now: clock.now() }, { jobs, makeId }),
  )
  return opened
}

/** Reads the stored rows without values that differ between runs. */
async function readFinalState(opened: TestIngestion) {
  const sources = await opened.sources()
  const nameOf = new Map(sources.map(({ source_id, identity }) => [source_id, identity]))
  const named = (rows: readonly { readonly source_id: string }[]) =>
    rows.map((row) => JSON.stringify({ ...row, source_id: nameOf.get(row.source_id) })).sort()
  return {
    sources: sources.map(({ source_id, reading_id, created_at, updated_at, refreshed_at, ...rest }) => rest),
    chunks: named(await opened.chunks()),
    parts: named(await opened.parts()),
    originals: await opened.originals(),
    vectors: await opened.vectors(),
    isPublished: (await opened.publishedEvents()).length > 1,
  }
}

/** Runs all work, including delayed jobs. */
async function finishWork(opened: TestIngestion): Promise<void> {
  for (let minute = 0; minute < 4; minute += 1) await opened.pass(60_000)
}

test('reaches the same state wherever the process crashes', async () => {
  await using untouched = await openScene()
  await finishWork(untouched)
  const expected = await readFinalState(untouched)
  expect(expected.sources.map(({ status, generation }) => [status, generation])).toEqual([
    ['ready', 1],
    ['ready', 1],
    ['ready', 1],
    ['ready', 2],
  ])
  let crashPoints = 0
  for (let at = 1; ; at += 1) {
    await using opened = await openScene()
    const isThrough = await opened.run({ database: createCrashingDatabase(opened.database, at) }).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof ProcessCrashError)) throw error
        return false
      },
    )
    await finishWork(opened)
    expect(await readFinalState(opened), `death at write ${at}`).toEqual(expected)
    if (isThrough) break
    crashPoints += 1
  }
  expect(crashPoints).toBeGreaterThan(20)
}, 120_000)
