import { describe, expect, test } from 'vitest'
import { BASE, DOWN, GONE, openIngestion, type TestIngestion } from './ingest-test-kit.ts'
import { refreshBase } from './refresh-base.ts'

const PAGE = 'https://shop.example/prices'

function refresh(opened: TestIngestion, sourceIds?: readonly string[]) {
  const { database, clock, jobs, makeId } = opened
  const now = clock.now()
  return database.transaction((transaction) =>
    refreshBase(transaction, { knowledgeBaseId: BASE, sourceIds, now }, { jobs, makeId }),
  )
}

describe('a source is read', () => {
  test('a text becomes passages and an index, and what it was read from goes', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addSource({ filename: 'prices.txt', kind: 'file' }, [
      '# Our prices\n\nA bell costs 5',
      ' euros.\n\nA tyre costs 18.',
    ])
    await opened.run()
    expect(await opened.source(id)).toMatchObject({
      status: 'ready',
      error: null,
      title: 'Our prices',
      content_type: 'text/plain',
      generation: 1,
      chunk_count: 2,
      size_bytes: 53,
      refreshed_at: opened.clock.now(),
    })
    expect(await opened.texts()).toEqual(['A bell costs 5 euros.', 'A tyre costs 18.'])
    expect(await opened.parts()).toMatchObject([{ generation: 1, part: 0 }])
    expect(await opened.originals()).toEqual([])
    expect(await opened.base()).toMatchObject({ revision: 1, updated_at: opened.clock.now() })
    expect(await opened.publishedEvents()).toEqual([
      { workspaceId: 1, event: 'knowledge_base_ready', subject: { kind: 'knowledge_base', id: BASE }, agents: [] },
    ])
  })

  test('a title of its owner stays', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addText('# Our prices\n\nA bell costs 5.', { title: 'Price list' })
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ title: 'Price list' })
  })

  test('a title that its owner gives it meanwhile stays', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addText('# Our prices\n\nA bell costs 5.')
    opened.scenario.whilePreparing = () =>
      opened.change(opened.database.compile.updateTable('knowledge_sources').set({ title: 'Renamed' }))
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ title: 'Renamed', status: 'ready' })
  })

  test('a large index is kept in parts of a bounded size', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    await opened.addText(Array.from({ length: 900 }, (_, index) => `${index} ${'word '.repeat(200)}`).join('\n\n'))
    await opened.run()
    const parts = await opened.parts()
    expect(parts.map(({ content }) => content.length)).toEqual([1_048_576, expect.any(Number)])
    const whole = Buffer.concat(parts.map(({ content }) => Buffer.from(content, 'base64')))
    expect(JSON.parse(whole.toString())).toHaveLength(900)
    expect(await opened.texts()).toHaveLength(900)
  })

  test('what cannot be read says why and is kept for another try', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addText('BROKEN')
    const other = await opened.addText('A bell costs 5.')
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ status: 'error', error: 'The document is broken.', generation: 0 })
    expect(await opened.source(other)).toMatchObject({ status: 'ready' })
    expect(await opened.originals()).toHaveLength(1)
    expect(await opened.publishedEvents()).toHaveLength(1)
    expect(await refresh(opened)).toBe(1)
    expect(await opened.source(id)).toMatchObject({ status: 'processing', error: null })
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ status: 'error' })
  })

  test('a knowledge base of which nothing could be read is not told as ready', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    await opened.addText('BROKEN')
    await opened.run()
    expect(await opened.publishedEvents()).toEqual([])
  })

  test('what may pass is tried again with pauses, then told', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    opened.scenario.pages.set(PAGE, DOWN)
    const page = await opened.addPage(PAGE)
    const text = await opened.addText('BREATHLESS')
    await opened.run()
    expect(opened.scenario.fetched).toHaveLength(1)
    expect(await opened.source(page)).toMatchObject({ status: 'processing' })
    await opened.pass(5_000)
    await opened.pass(30_000)
    expect(opened.scenario.prepared).toBe(3)
    expect(await opened.source(text)).toMatchObject({ status: 'error', error: 'It took too long.' })
    await opened.pass(120_000)
    await opened.pass(600_000)
    expect(opened.scenario.fetched).toHaveLength(5)
    expect(await opened.source(page)).toMatchObject({ status: 'error', error: 'The site answers 503.' })
    expect((await opened.jobRows('knowledge-ingest')).map(({ status }) => status)).toEqual(['done', 'done'])
  })

  test('a site that comes back is read', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    opened.scenario.pages.set(PAGE, DOWN)
    const page = await opened.addPage(PAGE)
    await opened.run()
    opened.scenario.pages.set(PAGE, 'A bell costs 5.')
    await opened.pass(5_000)
    expect(await opened.source(page)).toMatchObject({ status: 'ready', chunk_count: 1 })
  })

  test('content that is not there any more is an error, not a wait', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addSource({})
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ status: 'error', error: expect.stringContaining('add it again') })
  })
})

describe('a source is read again', () => {
  async function openRead(text: string, columns: object = {}) {
    const opened = await openIngestion()
    await opened.addBase()
    opened.scenario.pages.set(PAGE, { text, etag: '"1"' })
    const id = await opened.addPage(PAGE, columns)
    await opened.run()
    await opened.time.advance(1_000)
    return { opened, id, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
  }

  test('what its server calls unchanged stays untouched', async () => {
    await using scene = await openRead('A bell costs 5.')
    const { opened, id } = scene
    const chunks = await opened.chunks()
    await refresh(opened)
    await opened.run()
    expect(opened.scenario.prepared).toBe(1)
    expect(await opened.source(id)).toMatchObject({ status: 'ready', generation: 1, refreshed_at: opened.clock.now() })
    expect(await opened.chunks()).toEqual(chunks)
    expect(await opened.base()).toMatchObject({ revision: 1, refreshed_at: opened.clock.now() })
    expect(await opened.publishedEvents()).toHaveLength(2)
  })

  test('the same bytes, and other bytes with the same text, change nothing that can be found', async () => {
    await using scene = await openRead('nonce: 1\n\nA bell costs 5.')
    const { opened, id } = scene
    opened.scenario.pages.set(PAGE, { text: 'nonce: 1\n\nA bell costs 5.', etag: '"2"' })
    await refresh(opened)
    await opened.run()
    expect(opened.scenario.prepared).toBe(1)
    expect(await opened.source(id)).toMatchObject({ status: 'ready', generation: 1, etag: '"2"' })
    opened.scenario.pages.set(PAGE, { text: 'nonce: 2\n\nA bell costs 5.', etag: '"3"' })
    await refresh(opened)
    await opened.run()
    expect(opened.scenario.prepared).toBe(2)
    expect(await opened.source(id)).toMatchObject({ status: 'ready', generation: 1, etag: '"3"' })
    expect(await opened.base()).toMatchObject({ revision: 1 })
  })

  test('the old passages are found until the new ones are', async () => {
    await using scene = await openRead('A bell costs 5.\n\nA tyre costs 18.')
    const { opened, id } = scene
    opened.scenario.pages.set(PAGE, 'A bell costs 6.')
    let seen: unknown
    opened.scenario.whilePreparing = async () => {
      seen = { texts: await opened.texts(), status: (await opened.source(id))?.status }
    }
    await refresh(opened)
    await opened.run()
    expect(seen).toEqual({ texts: ['A bell costs 5.', 'A tyre costs 18.'], status: 'refreshing' })
    expect((await opened.chunks()).map(({ text, generation }) => [text, generation])).toEqual([['A bell costs 6.', 2]])
    expect((await opened.parts()).map(({ generation }) => generation)).toEqual([2])
    expect(await opened.base()).toMatchObject({ revision: 2 })
  })

  test('a failure leaves what was read, and says so', async () => {
    await using scene = await openRead('A bell costs 5.')
    const { opened, id } = scene
    opened.scenario.pages.set(PAGE, 'BROKEN')
    await refresh(opened)
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ status: 'ready', error: 'The document is broken.', generation: 1 })
    expect(await opened.texts()).toEqual(['A bell costs 5.'])
    opened.scenario.pages.set(PAGE, 'A bell costs 6.')
    await refresh(opened)
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ status: 'ready', error: null, generation: 2 })
  })

  test('a page that is gone stays when its owner named it, and says since when', async () => {
    await using scene = await openRead('A bell costs 5.')
    const { opened, id } = scene
    opened.scenario.pages.set(PAGE, GONE)
    await refresh(opened)
    await opened.run()
    const error = 'Gone since 2026-01-05: There is no such page (404).'
    expect(await opened.source(id)).toMatchObject({ status: 'ready', error })
    await opened.time.advance(3 * 86_400_000)
    await refresh(opened)
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ status: 'ready', error })
    expect(await opened.texts()).toEqual(['A bell costs 5.'])
  })

  test('a page that is gone goes with all it had when it was found on a site', async () => {
    await using scene = await openRead('A bell costs 5.', { crawl_path: 'https://shop.example/' })
    const { opened, id } = scene
    opened.scenario.pages.set(PAGE, GONE)
    await refresh(opened)
    await opened.run()
    expect(await opened.source(id)).toBeUndefined()
    expect([await opened.chunks(), await opened.parts()]).toEqual([[], []])
    expect(await opened.base()).toMatchObject({ revision: 2 })
  })
})
