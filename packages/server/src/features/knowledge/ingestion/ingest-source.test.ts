import { describe, expect, test } from 'vitest'
import { BASE, DOWN, GONE, openIngestion, type TestIngestion } from './ingest-test-kit.ts'
import { refreshBase } from './refresh-base.ts'

const PAGE = 'https://shop.example/prices'

function refresh(ingestion: TestIngestion, sourceIds?: readonly string[]) {
  const { database, clock, jobs, makeId } = ingestion
  const now = clock.now()
  return database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, sourceIds, now }, { jobs, makeId }),
  )
}

describe('a source is read', () => {
  test('stores passages and an index of a text and deletes the original', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    const id = await ingestion.addSource({ filename: 'prices.txt', kind: 'file' }, [
      '# Our prices\n\nA bell costs 5',
      ' euros.\n\nA tire costs 18.',
    ])
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({
      status: 'ready',
      error: null,
      title: 'Our prices',
      content_type: 'text/plain',
      generation: 1,
      chunk_count: 2,
      size_bytes: 53,
      refreshed_at: ingestion.clock.now(),
    })
    expect(await ingestion.readTexts()).toEqual(['A bell costs 5 euros.', 'A tire costs 18.'])
    expect(await ingestion.readParts()).toMatchObject([{ generation: 1, part: 0 }])
    expect(await ingestion.readOriginals()).toEqual([])
    expect(await ingestion.readBase()).toMatchObject({ revision: 1, updated_at: ingestion.clock.now() })
    expect(await ingestion.readPublishedEvents()).toEqual([
      { workspaceId: 1, event: 'knowledge_base_ready', subject: { kind: 'knowledge_base', id: BASE }, agents: [] },
    ])
  })

  test('keeps a title set by its owner', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    const id = await ingestion.addText('# Our prices\n\nA bell costs 5.', { title: 'Price list' })
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({ title: 'Price list' })
  })

  test('keeps a title that its owner sets during ingestion', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    const id = await ingestion.addText('# Our prices\n\nA bell costs 5.')
    ingestion.scenario.whilePreparing = () =>
      ingestion.change(ingestion.database.queryBuilder.updateTable('knowledge_sources').set({ title: 'Renamed' }))
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({ title: 'Renamed', status: 'ready' })
  })

  test('stores a large index in bounded parts', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    await ingestion.addText(Array.from({ length: 900 }, (_, index) => `${index} ${'word '.repeat(200)}`).join('\n\n'))
    await ingestion.run()
    const parts = await ingestion.readParts()
    expect(parts.map(({ content }) => content.length)).toEqual([1_048_576, expect.any(Number)])
    const whole = Buffer.concat(parts.map(({ content }) => Buffer.from(content, 'base64')))
    expect(JSON.parse(whole.toString())).toHaveLength(900)
    expect(await ingestion.readTexts()).toHaveLength(900)
  })

  test('reports why a source cannot be read and keeps its content for a retry', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    const id = await ingestion.addText('BROKEN')
    const readableId = await ingestion.addText('A bell costs 5.')
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({
      status: 'error',
      error: 'The document is broken.',
      generation: 0,
    })
    expect(await ingestion.readSource(readableId)).toMatchObject({ status: 'ready' })
    expect(await ingestion.readOriginals()).toHaveLength(1)
    expect(await ingestion.readPublishedEvents()).toHaveLength(1)
    expect(await refresh(ingestion)).toBe(1)
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'processing', error: null })
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'error' })
  })

  test('does not publish readiness when nothing could be read', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    await ingestion.addText('BROKEN')
    await ingestion.run()
    expect(await ingestion.readPublishedEvents()).toEqual([])
  })

  test('retries temporary failures with pauses, then reports them', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    ingestion.scenario.pages.set(PAGE, DOWN)
    const page = await ingestion.addPage(PAGE)
    const text = await ingestion.addText('SLOW')
    await ingestion.run()
    expect(ingestion.scenario.fetched).toHaveLength(1)
    expect(await ingestion.readSource(page)).toMatchObject({ status: 'processing' })
    await ingestion.advance(5_000)
    await ingestion.advance(30_000)
    expect(ingestion.scenario.prepared).toBe(3)
    expect(await ingestion.readSource(text)).toMatchObject({ status: 'error', error: 'It took too long.' })
    await ingestion.advance(120_000)
    await ingestion.advance(600_000)
    expect(ingestion.scenario.fetched).toHaveLength(5)
    expect(await ingestion.readSource(page)).toMatchObject({ status: 'error', error: 'The site responds with 503.' })
    expect((await ingestion.jobRows('knowledge-ingest')).map(({ status }) => status)).toEqual(['done', 'done'])
  })

  test('reads a site after it recovers', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    ingestion.scenario.pages.set(PAGE, DOWN)
    const page = await ingestion.addPage(PAGE)
    await ingestion.run()
    ingestion.scenario.pages.set(PAGE, 'A bell costs 5.')
    await ingestion.advance(5_000)
    expect(await ingestion.readSource(page)).toMatchObject({ status: 'ready', chunk_count: 1 })
  })

  test('reports missing content as an error without retrying', async () => {
    await using ingestion = await openIngestion()
    await ingestion.addBase()
    const id = await ingestion.addSource({})
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({
      status: 'error',
      error: expect.stringContaining('add it again'),
    })
  })
})

describe('refreshing a source', () => {
  async function openRead(text: string, columns: object = {}) {
    const ingestion = await openIngestion()
    await ingestion.addBase()
    ingestion.scenario.pages.set(PAGE, { text, etag: '"1"' })
    const id = await ingestion.addPage(PAGE, columns)
    await ingestion.run()
    await ingestion.time.advance(1_000)
    return { ingestion, id, [Symbol.asyncDispose]: () => ingestion[Symbol.asyncDispose]() }
  }

  test('leaves a page untouched when its server reports it unchanged', async () => {
    await using scene = await openRead('A bell costs 5.')
    const { ingestion, id } = scene
    const chunks = await ingestion.readChunks()
    await refresh(ingestion)
    await ingestion.run()
    expect(ingestion.scenario.prepared).toBe(1)
    expect(await ingestion.readSource(id)).toMatchObject({
      status: 'ready',
      generation: 1,
      refreshed_at: ingestion.clock.now(),
    })
    expect(await ingestion.readChunks()).toEqual(chunks)
    expect(await ingestion.readBase()).toMatchObject({ revision: 1, refreshed_at: ingestion.clock.now() })
    expect(await ingestion.readPublishedEvents()).toHaveLength(2)
  })

  test('changes nothing searchable for equal bytes or equal text', async () => {
    await using scene = await openRead('nonce: 1\n\nA bell costs 5.')
    const { ingestion, id } = scene
    ingestion.scenario.pages.set(PAGE, { text: 'nonce: 1\n\nA bell costs 5.', etag: '"2"' })
    await refresh(ingestion)
    await ingestion.run()
    expect(ingestion.scenario.prepared).toBe(1)
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready', generation: 1, etag: '"2"' })
    ingestion.scenario.pages.set(PAGE, { text: 'nonce: 2\n\nA bell costs 5.', etag: '"3"' })
    await refresh(ingestion)
    await ingestion.run()
    expect(ingestion.scenario.prepared).toBe(2)
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready', generation: 1, etag: '"3"' })
    expect(await ingestion.readBase()).toMatchObject({ revision: 1 })
  })

  test('serves the old passages until the new ones are ready', async () => {
    await using scene = await openRead('A bell costs 5.\n\nA tire costs 18.')
    const { ingestion, id } = scene
    ingestion.scenario.pages.set(PAGE, 'A bell costs 6.')
    let contentDuringRefresh: unknown
    ingestion.scenario.whilePreparing = async () => {
      contentDuringRefresh = { texts: await ingestion.readTexts(), status: (await ingestion.readSource(id))?.status }
    }
    await refresh(ingestion)
    await ingestion.run()
    expect(contentDuringRefresh).toEqual({ texts: ['A bell costs 5.', 'A tire costs 18.'], status: 'refreshing' })
    expect((await ingestion.readChunks()).map(({ text, generation }) => [text, generation])).toEqual([
      ['A bell costs 6.', 2],
    ])
    expect((await ingestion.readParts()).map(({ generation }) => generation)).toEqual([2])
    expect(await ingestion.readBase()).toMatchObject({ revision: 2 })
  })

  test('keeps the old content after a failure and reports it', async () => {
    await using scene = await openRead('A bell costs 5.')
    const { ingestion, id } = scene
    ingestion.scenario.pages.set(PAGE, 'BROKEN')
    await refresh(ingestion)
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({
      status: 'ready',
      error: 'The document is broken.',
      generation: 1,
    })
    expect(await ingestion.readTexts()).toEqual(['A bell costs 5.'])
    ingestion.scenario.pages.set(PAGE, 'A bell costs 6.')
    await refresh(ingestion)
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready', error: null, generation: 2 })
  })

  test('keeps a vanished page that its owner added and reports when it vanished', async () => {
    await using scene = await openRead('A bell costs 5.')
    const { ingestion, id } = scene
    ingestion.scenario.pages.set(PAGE, GONE)
    await refresh(ingestion)
    await ingestion.run()
    const error = 'Gone since 2026-01-05: There is no such page (404).'
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready', error })
    await ingestion.time.advance(3 * 86_400_000)
    await refresh(ingestion)
    await ingestion.run()
    expect(await ingestion.readSource(id)).toMatchObject({ status: 'ready', error })
    expect(await ingestion.readTexts()).toEqual(['A bell costs 5.'])
  })

  test('removes a vanished page that was found on a site', async () => {
    await using scene = await openRead('A bell costs 5.', { crawl_path: 'https://shop.example/' })
    const { ingestion, id } = scene
    ingestion.scenario.pages.set(PAGE, GONE)
    await refresh(ingestion)
    await ingestion.run()
    expect(await ingestion.readSource(id)).toBeUndefined()
    expect([await ingestion.readChunks(), await ingestion.readParts()]).toEqual([[], []])
    expect(await ingestion.readBase()).toMatchObject({ revision: 2 })
  })
})
