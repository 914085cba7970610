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
  await using ingestion = await openIngestion(model)
  await ingestion.addBase()
  await ingestion.addText('# Shop\n\nA bell costs 5.')
  await ingestion.run()
  expect(model.texts).toEqual(['Shop\nPrices\nA bell costs 5.'])
  const [vector] = await ingestion.readVectors()
  const bytes = Buffer.from(vector?.vector ?? '', 'base64')
  expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([27, 1])
  expect(await ingestion.readBase()).toMatchObject({ revision: 1 })
  expect(await ingestion.jobRows(EMBED)).toEqual([])
})

test('embeds equal texts once', async () => {
  const model = createTestEmbedder()
  await using ingestion = await openIngestion(model)
  await ingestion.addBase()
  await ingestion.addText('One.\n\nTwo.\n\nOne.')
  await ingestion.addText('Two.\n\nThree.')
  await ingestion.run()
  expect(model.texts).toHaveLength(3)
  expect(await ingestion.readVectors()).toHaveLength(3)
})

test('makes a source searchable by keyword when embedding fails, and embeds the rest after the requested delay', async () => {
  const model = createTestEmbedder()
  await using ingestion = await openIngestion(model)
  await ingestion.addBase()
  model.responses.push(null, LIMITED)
  const id = await ingestion.addText(FIVE)
  await ingestion.run()
  expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready', error: null })
  expect(await ingestion.readVectors()).toHaveLength(2)
  model.responses.push(null, LIMITED)
  await ingestion.advance(89_999)
  expect(await ingestion.readVectors()).toHaveLength(2)
  await ingestion.advance(1)
  expect(await ingestion.readVectors()).toHaveLength(4)
  expect(await ingestion.readBase()).toMatchObject({ revision: 2 })
  await ingestion.advance(90_000)
  expect(await ingestion.readVectors()).toHaveLength(5)
  expect(await ingestion.readBase()).toMatchObject({ revision: 3 })
  expect(model.texts).toHaveLength(5)
  expect((await ingestion.jobRows(EMBED)).every(({ status }) => status === 'done')).toBe(true)
})

test('does not repeat requests to a model that rejects them', async () => {
  const model = createTestEmbedder()
  await using ingestion = await openIngestion(model)
  await ingestion.addBase()
  model.responses.push(REFUSED, REFUSED)
  await ingestion.addText(FIVE)
  await ingestion.run()
  await ingestion.advance(86_400_000)
  expect(model.responses).toEqual([])
  expect(await ingestion.readVectors()).toEqual([])
  expect(ingestion.logged).toEqual(['embed passages: Error: The key is wrong.'])
  // The next sweep starts again.
  await runSweep(ingestion)
  expect(await ingestion.readVectors()).toHaveLength(5)
})

test('re-embeds everything with a new model and keeps old vectors until it finishes', async () => {
  const model = createTestEmbedder('model-1')
  await using ingestion = await openIngestion(model)
  await ingestion.addBase()
  await ingestion.addText(FIVE)
  await ingestion.run()
  const newModel = createTestEmbedder('model-2')
  newModel.responses.push(null, LIMITED)
  await runSweep(ingestion, newModel)
  const models = async () => (await ingestion.readVectors()).map((vector) => vector.model).join(' ')
  expect(await models()).toBe('model-1 model-1 model-1 model-1 model-1 model-2 model-2')
  await ingestion.advance(90_000, newModel)
  expect(await models()).toBe('model-2 model-2 model-2 model-2 model-2')
  const { revision } = await ingestion.readBase()
  await runSweep(ingestion, newModel)
  expect(await ingestion.readBase()).toMatchObject({ revision })
})

test('deletes vectors of deleted texts', async () => {
  const model = createTestEmbedder()
  await using ingestion = await openIngestion(model)
  await ingestion.addBase()
  ingestion.scenario.pages.set(PAGE, FIVE)
  await ingestion.addPage(PAGE)
  await ingestion.addText('Five.')
  await ingestion.run()
  expect(await ingestion.readVectors()).toHaveLength(5)
  ingestion.scenario.pages.set(PAGE, 'One.\n\nSix.')
  const { database, clock, jobs, makeId } = ingestion
  await database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, now: clock.now() }, { jobs, makeId }),
  )
  await ingestion.run()
  expect(await ingestion.readVectors()).toHaveLength(3)
  expect(model.texts).toHaveLength(6)
})

test('runs only one of many jobs queued for a knowledge base', async () => {
  const model = createTestEmbedder()
  await using ingestion = await openIngestion(model)
  await ingestion.addBase()
  model.responses.push(LIMITED)
  await ingestion.addText(FIVE)
  await ingestion.run()
  for (let count = 0; count < 10; count += 1)
    await ingestion.database.batch([ingestion.jobs.buildEnqueueStatement(buildEmbedJob(BASE))])
  await ingestion.advance(90_000)
  expect(model.texts).toHaveLength(5)
  expect(await ingestion.readBase()).toMatchObject({ revision: 2 })
})

test('publishes vectors that an interrupted run had stored', async () => {
  const model = createTestEmbedder()
  await using ingestion = await openIngestion(model)
  await ingestion.addBase()
  await ingestion.addText('One.')
  await ingestion.run()
  const job = ingestion.jobs.buildEnqueueStatement(buildEmbedJob(BASE))
  await ingestion.database.batch([job])
  await ingestion.change(
    ingestion.database.queryBuilder.updateTable('jobs').set({ attempts: 1 }).where('job_id', '=', job.jobId),
  )
  await ingestion.run()
  expect(await ingestion.readBase()).toMatchObject({ revision: 2 })
})

async function runSweep(
  ingestion: Awaited<ReturnType<typeof openIngestion>>,
  changes: Parameters<typeof ingestion.run>[0] = {},
): Promise<void> {
  const sweepJob = { kind: 'knowledge-look-for-vectors', payload: {} }
  await ingestion.database.batch([ingestion.jobs.buildEnqueueStatement(sweepJob)])
  await ingestion.run(changes)
}
