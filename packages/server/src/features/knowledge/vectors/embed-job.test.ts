import { expect, test } from 'vitest'
import { buildEmbedJob, EMBED } from '../ingestion/ingest-job.ts'
import { BASE, createTestEmbedder, openIngestion } from '../ingestion/ingest-test-kit.ts'
import { refreshBase } from '../ingestion/refresh-base.ts'

const PAGE = 'https://shop.example/'
const FIVE = 'One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.'
const LIMITED = { ok: false, message: 'Too many requests.', retryable: true, retryAfterMs: 90_000 } as const
const REFUSED = { ok: false, message: 'The key is wrong.', retryable: false } as const

test('embeds a source with its title and headings before it becomes searchable', async () => {
  const model = createTestEmbedder()
  await using opened = await openIngestion(model)
  await opened.addBase()
  await opened.addText('# Shop\n\nA bell costs 5.')
  await opened.run()
  expect(model.texts).toEqual(['Shop\nPrices\nA bell costs 5.'])
  const [vector] = await opened.vectors()
  const bytes = Buffer.from(vector?.vector ?? '', 'base64')
  expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([27, 1])
  expect(await opened.base()).toMatchObject({ revision: 1 })
  expect(await opened.jobRows(EMBED)).toEqual([])
})

test('embeds equal texts once', async () => {
  const model = createTestEmbedder()
  await using opened = await openIngestion(model)
  await opened.addBase()
  await opened.addText('One.\n\nTwo.\n\nOne.')
  await opened.addText('Two.\n\nThree.')
  await opened.run()
  expect(model.texts).toHaveLength(3)
  expect(await opened.vectors()).toHaveLength(3)
})

test('finds a source by words when embedding fails, and embeds the rest after the requested delay', async () => {
  const model = createTestEmbedder()
  await using opened = await openIngestion(model)
  await opened.addBase()
  model.answers.push(null, LIMITED)
  const id = await opened.addText(FIVE)
  await opened.run()
  expect(await opened.source(id)).toMatchObject({ status: 'ready', error: null })
  expect(await opened.vectors()).toHaveLength(2)
  model.answers.push(null, LIMITED)
  await opened.pass(89_999)
  expect(await opened.vectors()).toHaveLength(2)
  await opened.pass(1)
  expect(await opened.vectors()).toHaveLength(4)
  expect(await opened.base()).toMatchObject({ revision: 2 })
  await opened.pass(90_000)
  expect(await opened.vectors()).toHaveLength(5)
  expect(await opened.base()).toMatchObject({ revision: 3 })
  expect(model.texts).toHaveLength(5)
  expect((await opened.jobRows(EMBED)).every(({ status }) => status === 'done')).toBe(true)
})

test('does not repeat requests to a model that rejects them', async () => {
  const model = createTestEmbedder()
  await using opened = await openIngestion(model)
  await opened.addBase()
  model.answers.push(REFUSED, REFUSED)
  await opened.addText(FIVE)
  await opened.run()
  await opened.pass(86_400_000)
  expect(model.answers).toEqual([])
  expect(await opened.vectors()).toEqual([])
  expect(opened.logged).toEqual(['embed passages: Error: The key is wrong.'])
  // The next sweep starts again.
  await runSweep(opened)
  expect(await opened.vectors()).toHaveLength(5)
})

test('a new model embeds everything again, and old vectors stay until that is done', async () => {
  const model = createTestEmbedder('model-1')
  await using opened = await openIngestion(model)
  await opened.addBase()
  await opened.addText(FIVE)
  await opened.run()
  const other = createTestEmbedder('model-2')
  other.answers.push(null, LIMITED)
  await runSweep(opened, other)
  const models = async () => (await opened.vectors()).map((vector) => vector.model).join(' ')
  expect(await models()).toBe('model-1 model-1 model-1 model-1 model-1 model-2 model-2')
  await opened.pass(90_000, other)
  expect(await models()).toBe('model-2 model-2 model-2 model-2 model-2')
  const { revision } = await opened.base()
  await runSweep(opened, other)
  expect(await opened.base()).toMatchObject({ revision })
})

test('deletes vectors of deleted texts', async () => {
  const model = createTestEmbedder()
  await using opened = await openIngestion(model)
  await opened.addBase()
  opened.scenario.pages.set(PAGE, FIVE)
  await opened.addPage(PAGE)
  await opened.addText('Five.')
  await opened.run()
  expect(await opened.vectors()).toHaveLength(5)
  opened.scenario.pages.set(PAGE, 'One.\n\nSix.')
  const { database, clock, jobs, makeId } = opened
  await database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, now: clock.now() }, { jobs, makeId }),
  )
  await opened.run()
  expect(await opened.vectors()).toHaveLength(3)
  expect(model.texts).toHaveLength(6)
})

test('one of many jobs for a knowledge base does the work', async () => {
  const model = createTestEmbedder()
  await using opened = await openIngestion(model)
  await opened.addBase()
  model.answers.push(LIMITED)
  await opened.addText(FIVE)
  await opened.run()
  for (let count = 0; count < 10; count += 1)
    await opened.database.batch([opened.jobs.buildEnqueueStatement(buildEmbedJob(BASE))])
  await opened.pass(90_000)
  expect(model.texts).toHaveLength(5)
  expect(await opened.base()).toMatchObject({ revision: 2 })
})

test('an interrupted run announces the vectors it had stored', async () => {
  const model = createTestEmbedder()
  await using opened = await openIngestion(model)
  await opened.addBase()
  await opened.addText('One.')
  await opened.run()
  const job = opened.jobs.buildEnqueueStatement(buildEmbedJob(BASE))
  await opened.database.batch([job])
  await opened.change(opened.database.compile.updateTable('jobs').set({ attempts: 1 }).where('job_id', '=', job.jobId))
  await opened.run()
  expect(await opened.base()).toMatchObject({ revision: 2 })
})

async function runSweep(
  opened: Awaited<ReturnType<typeof openIngestion>>,
  changes: Parameters<typeof opened.run>[0] = {},
): Promise<void> {
  const sweepJob = { kind: 'knowledge-look-for-vectors', payload: {} }
  await opened.database.batch([opened.jobs.buildEnqueueStatement(sweepJob)])
  await opened.run(changes)
}
