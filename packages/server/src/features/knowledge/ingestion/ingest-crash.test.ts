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

/** Opens ingestion with a text, and a site that changed after its first ingestion. */
async function openScene(): Promise<TestIngestion> {
  const ingestion = await openIngestion({ embedder: createTestEmbedder().embedder })
  const { database, clock, jobs, makeId, scenario } = ingestion
  await ingestion.addBase({ crawl: JSON.stringify([{ path: SITE, exclude: [], maxPages: 10 }]) })
  for (const [url, text] of Object.entries(PAGES)) scenario.pages.set(url, text)
  scenario.pages.set(SITE, '# Shop\n\nWelcome.\n\nlink: https://shop.example/tires')
  await ingestion.addPage(SITE, { crawl_path: SITE })
  await ingestion.run()
  await ingestion.advance(60_000)
  await ingestion.advance(60_000)
  scenario.pages.set(SITE, PAGES[SITE])
  scenario.pages.set('https://shop.example/tires', 'All tires cost 18.')
  await ingestion.addText('Opening hours: 9 to 5.')
  await database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, now: clock.now() }, { jobs, makeId }),
  )
  return ingestion
}

/** Reads the stored rows without values that differ between runs. */
async function readFinalState(ingestion: TestIngestion) {
  const sources = await ingestion.readSources()
  const identityById = new Map(sources.map(({ source_id, identity }) => [source_id, identity]))
  const toComparableRows = (rows: readonly { readonly source_id: string }[]) =>
    rows.map((row) => JSON.stringify({ ...row, source_id: identityById.get(row.source_id) })).sort()
  return {
    sources: sources.map(({ source_id, reading_id, created_at, updated_at, refreshed_at, ...rest }) => rest),
    chunks: toComparableRows(await ingestion.readChunks()),
    parts: toComparableRows(await ingestion.readParts()),
    originals: await ingestion.readOriginals(),
    vectors: await ingestion.readVectors(),
    isPublished: (await ingestion.readPublishedEvents()).length > 1,
  }
}

/** Runs all work, including delayed jobs. */
async function finishWork(ingestion: TestIngestion): Promise<void> {
  for (let minute = 0; minute < 4; minute += 1) await ingestion.advance(60_000)
}

test('reaches the same state wherever the process crashes', async () => {
  await using uninterrupted = await openScene()
  await finishWork(uninterrupted)
  const expected = await readFinalState(uninterrupted)
  expect(expected.sources.map(({ status, generation }) => [status, generation])).toEqual([
    ['ready', 1],
    ['ready', 1],
    ['ready', 1],
    ['ready', 2],
  ])
  let crashPoints = 0
  for (let crashPoint = 1; ; crashPoint += 1) {
    await using ingestion = await openScene()
    const isFinished = await ingestion.run({ database: createCrashingDatabase(ingestion.database, crashPoint) }).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof ProcessCrashError)) throw error
        return false
      },
    )
    await finishWork(ingestion)
    expect(await readFinalState(ingestion), `crash at write ${crashPoint}`).toEqual(expected)
    if (isFinished) break
    crashPoints += 1
  }
  expect(crashPoints).toBeGreaterThan(20)
}, 120_000)
