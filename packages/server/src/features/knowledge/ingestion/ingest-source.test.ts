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
  test('stores passages and an index of a text and deletes the original', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addSource({ filename: 'prices.txt', kind: 'file' }, [
      '# Our prices\n\nA bell costs 5',
      ' euros.\n\nA tire costs 18.',
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
    expect(await opened.texts()).toEqual(['A bell costs 5 euros.', 'A tire costs 18.'])
    expect(await opened.parts()).toMatchObject([{ generation: 1, part: 0 }])
    expect(await opened.originals()).toEqual([])
    expect(await opened.base()).toMatchObject({ revision: 1, updated_at: opened.clock.now() })
    expect(await opened.publishedEvents()).toEqual([
      { workspaceId: 1, event: 'knowledge_base_ready', subject: { kind: 'knowledge_base', id: BASE }, agents: [] },
    ])
  })

  test('keeps a title set by its owner', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addText('# Our prices\n\nA bell costs 5.', { title: 'Price list' })
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ title: 'Price list' })
  })

  test('keeps a title that its owner sets during the reading', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addText('# Our prices\n\nA bell costs 5.')
    opened.scenario.whilePreparing = () =>
      opened.change(opened.database.compile.updateTable('knowledge_sources').set({ title: 'Renamed' }))
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ title: 'Renamed', status: 'ready' })
  })

  test('stores a large index in bounded parts', async () => {
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

  test('reports why a source cannot be read and keeps it for another try', async () => {
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

  test('does not publish readiness when nothing could be read', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    await opened.addText('BROKEN')
    await opened.run()
    expect(await opened.publishedEvents()).toEqual([])
  })

  test('retries temporary failures with pauses, then reports them', async () => {
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

  test('reads a site after it recovers', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    opened.scenario.pages.set(PAGE, DOWN)
    const page = await opened.addPage(PAGE)
    await opened.run()
    opened.scenario.pages.set(PAGE, 'A bell costs 5.')
    await opened.pass(5_000)
    expect(await opened.source(page)).toMatchObject({ status: 'ready', chunk_count: 1 })
  })

  test('reports missing content as an error without retrying', async () => {
    await using opened = await openIngestion()
    await opened.addBase()
    const id = await opened.addSource({})
    await opened.run()
    expect(await opened.source(id)).toMatchObject({ status: 'error', error: expect.stringContaining('add it again') })
  })
})

describe('refreshing a source', () => {
  async function openRead(text: string, columns: object = {}) {
    const opened = await openIngestion()
    await opened.addBase()
    opened.scenario.pages.set(PAGE, { text, etag: '"1"' })
    const id = await opened.addPage(PAGE, columns)
    await opened.run()
    await opened.time.advance(1_000)
    return { opened, id, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
  }

  test('leaves a page untouched when its server reports it unchanged', async () => {
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

  test('changes nothing searchable for equal bytes or equal text', async () => {
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

  test('serves the old passages until the new ones are ready', async () => {
    await using scene = await openRead('A bell costs 5.\n\nA tire costs 18.')
    const { opened, id } = scene
    opened.scenario.pages.set(PAGE, 'A bell costs 6.')
    let seen: unknown
    opened.scenario.whilePreparing = async () => {
      seen = { texts: await opened.texts(), status: (await opened.source(id))?.status }
    }
    await refresh(opened)
    await opened.run()
    expect(seen).toEqual({ texts: ['A bell costs 5.', 'A tire costs 18.'], status: 'refreshing' })
    expect((await opened.chunks()).map(({ text, generation }) => [text, generation])).toEqual([['A bell costs 6.', 2]])
    expect((await opened.parts()).map(({ generation }) => generation)).toEqual([2])
    expect(await opened.base()).toMatchObject({ revision: 2 })
  })

  test('keeps the old content after a failure and reports it', async () => {
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

  test('keeps a vanished page that its owner added, and reports since when', async () => {
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

  test('removes a vanished page that was found on a site', async () => {
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
