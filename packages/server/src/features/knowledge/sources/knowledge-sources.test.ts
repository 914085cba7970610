import { expect, test } from 'vitest'
import { openKnowledge } from '../knowledge-test-kit.ts'
import { PART_BYTES } from './stage-content.ts'

const BASES = '/api/knowledge-bases'

interface Listed {
  readonly source_id: string
  readonly source_type: string
  readonly title: string
  readonly status: string
}

async function openWithBase(body: object = {}, options: Parameters<typeof openKnowledge>[0] = {}) {
  const knowledge = await openKnowledge(options)
  const id = await knowledge.addBase(body)
  return {
    ...knowledge,
    id,
    path: `${BASES}/${id}`,
    add: (...sources: readonly object[]) => knowledge.send(`POST ${BASES}/${id}/sources`, { workspaceId: 1, sources }),
    sources: async (): Promise<Listed[]> => (await knowledge.send(`GET ${BASES}/${id}?workspaceId=1`)).body.sources,
  }
}

test('adds texts, pages and files with a job for each', async () => {
  await using knowledge = await openWithBase()
  const file = Buffer.from([0, 1, 2, 255])
  const response = await knowledge.add(
    { text: 'Hello', title: ' Greeting ' },
    { url: 'https://example.com/help' },
    { base64: file.toString('base64'), filename: 'price.xlsx', contentType: 'application/x' },
  )
  expect(response).toMatchObject({ status: 201, body: { status: 'processing', sourceCount: 3 } })
  const byType = Object.fromEntries(response.body.sources.map((source: Listed) => [source.source_type, source]))
  expect(byType.text).toEqual({
    source_id: expect.stringMatching(/^source_[0-9a-f]{26}$/),
    source_type: 'text',
    filename: '',
    title: 'Greeting',
    url: null,
    contentType: null,
    status: 'processing',
    error: null,
    size: 5,
    characters: 0,
    pageCount: null,
    chunkCount: 0,
    crawled: false,
    createdAt: '2026-01-05T12:00:00.000Z',
    updatedAt: '2026-01-05T12:00:00.000Z',
    refreshedAt: null,
  })
  expect(byType.url).toMatchObject({ url: 'https://example.com/help', filename: '', size: null })
  expect(byType.file).toMatchObject({ filename: 'price.xlsx', size: 4 })
  const originals = await knowledge.readRows('knowledge_originals')
  expect(originals).toContainEqual({ source_id: byType.file.source_id, part: 0, content: file.toString('base64') })
  expect(originals).toHaveLength(2)
  const rows = await knowledge.readRows('knowledge_sources')
  const jobs = rows.map(({ source_id, reading_id }) => ({
    kind: 'knowledge-ingest',
    sourceId: source_id,
    readingId: reading_id,
  }))
  const jobRows = await knowledge.readJobs()
  expect(jobRows).toHaveLength(3)
  expect(jobRows).toEqual(expect.arrayContaining(jobs))
  expect(await knowledge.add()).toMatchObject({ status: 400, body: { details: [{ path: 'sources' }] } })
})

test('stores uploaded form files in parts', async () => {
  await using knowledge = await openKnowledge()
  const large = new Uint8Array(2 * PART_BYTES + 5).map((_, index) => index % 251)
  const fields = { workspaceId: '1', name: 'Manuals', sources: [{ text: 'Hello' }] }
  const files = [
    ['manual.pdf', large],
    ['prices.csv', 'a;b'],
  ] as const
  const created = await knowledge.sendForm(`POST ${BASES}`, fields, files)
  expect(created).toMatchObject({ status: 201, body: { name: 'Manuals', sourceCount: 3 } })
  const sources: { source_id: string; filename: string; size: number }[] = created.body.sources
  const manual = sources.find(({ filename }) => filename === 'manual.pdf')
  expect(manual?.size).toBe(large.length)
  const parts = (await knowledge.readRows('knowledge_originals')).filter((row) => row.source_id === manual?.source_id)
  expect(parts.map(({ part }) => part).toSorted()).toEqual([0, 1, 2])
  const content = parts.toSorted((a, b) => a.part - b.part).map((row) => Buffer.from(row.content, 'base64'))
  expect(Buffer.concat(content).equals(large)).toBe(true)

  const secondUpload = await knowledge.sendForm(
    `POST ${BASES}/${created.body.knowledgeBaseId}/sources`,
    { workspaceId: '1' },
    [
      ['other name.pdf', large],
      ['new.txt', 'new'],
    ],
  )
  expect(secondUpload).toMatchObject({ status: 201, body: { sourceCount: 4 } })
  const emptyUpload = await knowledge.sendForm(`POST ${BASES}`, { workspaceId: '1', name: 'x' }, [['empty.txt', '']])
  expect(emptyUpload).toMatchObject({ status: 400, body: { details: [{ path: 'files' }] } })
  const noFiles = await knowledge.sendForm(
    `POST ${BASES}/${created.body.knowledgeBaseId}/sources`,
    { workspaceId: '1' },
    [],
  )
  expect(noFiles).toMatchObject({ status: 400, body: { details: [{ path: 'sources' }] } })
})

test('adds existing content again only under another title', async () => {
  await using knowledge = await openWithBase()
  await knowledge.add(
    { text: 'Hello' },
    { text: 'Hello', title: 'Greeting' },
    { url: 'HTTPS://Example.com:443/#top' },
    { url: 'https://example.com' },
  )
  const firstSources = await knowledge.sources()
  expect(firstSources).toHaveLength(2)
  expect(firstSources.find(({ source_type }) => source_type === 'text')?.title).toBe('Greeting')
  for (const { source_id } of firstSources) await knowledge.finishIngestion(source_id, { chunks: [{}] })
  const jobs = await knowledge.readJobs()
  expect(jobs).toHaveLength(2)
  const response = await knowledge.add({
    base64: Buffer.from('Hello').toString('base64'),
    filename: 'a.txt',
    title: 'Greeting',
  })
  expect(response).toMatchObject({ status: 201, body: { status: 'ready', sourceCount: 2 } })
  await knowledge.add({ url: 'https://example.com/' })
  expect(await knowledge.readJobs()).toEqual(jobs)
  const retitled = await knowledge.add({ text: 'Hello', title: 'New' })
  expect(retitled).toMatchObject({ status: 201, body: { sourceCount: 3 } })
  expect((await knowledge.sources()).map(({ title }) => title).sort()).toEqual(['', 'Greeting', 'New'])
  expect(await knowledge.readRows('knowledge_originals')).toHaveLength(2)
  // Knowledge bases do not share content.
  const otherId = await knowledge.addBase({ sources: [{ text: 'Hello' }] })
  expect((await knowledge.send(`GET ${BASES}/${otherId}?workspaceId=1`)).body.sourceCount).toBe(1)
})

test('adding a failed source retries it', async () => {
  await using knowledge = await openWithBase()
  const body = (await knowledge.add({ text: 'Hello' }, { url: 'https://example.com' })).body
  const findId = (type: string) => body.sources.find(({ source_type }: Listed) => source_type === type).source_id
  await knowledge.finishIngestion(findId('text'), { status: 'error', error: 'Too large.' })
  await knowledge.finishIngestion(findId('url'), { status: 'ready', error: 'It is gone.', chunks: [{}] })
  const before = await knowledge.readSource(findId('text'))
  const { sources } = (await knowledge.add({ text: 'Hello' }, { url: 'https://example.com' })).body
  const states = sources.map(({ source_type, status, error }: Listed & { error: string }) => [
    source_type,
    status,
    error,
  ])
  expect(states.toSorted()).toEqual([
    ['text', 'processing', null],
    ['url', 'refreshing', 'It is gone.'],
  ])
  const after = await knowledge.readSource(findId('text'))
  expect(after?.reading_id).not.toBe(before?.reading_id)
  expect(await knowledge.readJobs()).toContainEqual({
    kind: 'knowledge-ingest',
    sourceId: findId('text'),
    readingId: after?.reading_id,
  })
})

test('a crawled page becomes permanent when it is added by URL', async () => {
  await using knowledge = await openWithBase({ crawl: [{ path: 'https://example.com/help' }] })
  await knowledge.add({ url: 'https://example.com/help/a' }, { url: 'https://example.com/help/b' })
  const [a, b] = await knowledge.sources()
  const crawled = { crawl_path: 'https://example.com/help', chunks: [{}] }
  for (const source of [a, b]) await knowledge.finishIngestion(source?.source_id ?? '', crawled)
  await knowledge.add({ url: 'https://example.com/help/b' })
  const patched = await knowledge.send(`PATCH ${knowledge.path}`, { workspaceId: 1, crawl: [] })
  expect(patched.body.sources).toMatchObject([{ url: 'https://example.com/help/b', crawled: false }])
})

test('rejects sources above the limit of a knowledge base', async () => {
  await using knowledge = await openWithBase()
  await knowledge.add({ url: 'https://example.com/0' })
  const [row] = await knowledge.readRows('knowledge_sources')
  if (row === undefined) throw new Error('no source')
  const rows = Array.from({ length: 1998 }, (_, index) => ({
    ...row,
    source_id: `source_x${index}`,
    identity: `url:${index}`,
  }))
  await knowledge.database.transaction(async (transaction) => {
    for (let from = 0; from < rows.length; from += 100) {
      await transaction
        .insertInto('knowledge_sources')
        .values(rows.slice(from, from + 100))
        .execute()
    }
  })
  const response = await knowledge.add({ text: 'a' }, { text: 'b' })
  expect(response).toMatchObject({ status: 400, body: { error: expect.stringContaining('2000') } })
  const last = await knowledge.add({ text: 'a' }, { text: 'a' })
  expect(last.body).toMatchObject({ sourceCount: 2000, sources: { length: 1000 } })
  expect((await knowledge.add({ text: 'a' })).status).toBe(201)
  const requestLine = `GET ${knowledge.path}/sources?workspaceId=1&limit=1000`
  const firstPage = await knowledge.send(requestLine)
  expect((await knowledge.send(`${requestLine}&paginationKey=${firstPage.next}`)).body).toHaveLength(1000)
})

test('concurrent requests with the same document create one source', async () => {
  await using knowledge = await openWithBase()
  const sources = [{ text: 'Hello' }, { text: 'World' }, { url: 'https://example.com' }]
  const responses = await Promise.all([1, 2, 3, 4].map(() => knowledge.add(...sources)))
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  expect(await knowledge.sources()).toHaveLength(3)
  expect(await knowledge.readRows('knowledge_sources')).toHaveLength(3)
  expect(await knowledge.readRows('knowledge_originals')).toHaveLength(2)
  expect(await knowledge.readJobs()).toHaveLength(3)
})

test('deleting a source deletes everything except texts shared with other sources', async () => {
  await using knowledge = await openWithBase()
  await knowledge.add({ text: 'one' }, { text: 'two' })
  const [removedSource, remainingSource] = await knowledge.sources()
  const hashes = (...values: string[]) => values.map((content_hash) => ({ content_hash }))
  await knowledge.finishIngestion(removedSource?.source_id ?? '', { chunks: hashes('only', 'both') })
  await knowledge.finishIngestion(remainingSource?.source_id ?? '', { chunks: hashes('both', 'other') })
  await knowledge.addVectors(knowledge.id, 'only', 'both', 'other')
  const before = await knowledge.readBase(knowledge.id)
  const path = `DELETE ${knowledge.path}/sources/${removedSource?.source_id}?workspaceId=1`
  expect((await knowledge.send(path)).status).toBe(204)
  expect((await knowledge.send(path)).status).toBe(404)
  expect(await knowledge.sources()).toMatchObject([{ source_id: remainingSource?.source_id }])
  for (const table of ['knowledge_sources', 'knowledge_chunks', 'knowledge_originals'] as const) {
    expect((await knowledge.readRows(table)).map((row) => row.source_id)).not.toContain(removedSource?.source_id)
  }
  const vectors = (await knowledge.readRows('knowledge_vectors')).flatMap((row) =>
    'content_hash' in row ? [row.content_hash] : [],
  )
  expect(vectors.toSorted()).toEqual(['both', 'other'])
  expect((await knowledge.readBase(knowledge.id))?.revision).toBe((before?.revision ?? 0) + 1)
})

test('lists sources of one request newest first, in reverse order, with sites last', async () => {
  await using knowledge = await openWithBase({
    crawl: [{ path: 'https://example.com/a' }, { path: 'https://example.com/b' }],
    sources: ['one', 'two', 'three', 'four', 'five'].map((text) => ({ text, title: text })),
  })
  const { body } = await knowledge.send(`GET ${knowledge.path}?workspaceId=1`)
  expect(body.sources.map(({ title, url }: { title: string; url: string | null }) => url ?? title)).toEqual([
    ...['five', 'four', 'three', 'two', 'one'],
    ...['https://example.com/a', 'https://example.com/b'],
  ])
})

test.for(['https://example.com/help', 'https://example.com/sitemap.xml'])(
  'a knowledge base with only a site is not ready before %s was read',
  async (path) => {
    await using knowledge = await openWithBase({ crawl: [{ path }] })
    const { body } = await knowledge.send(`GET ${knowledge.path}?workspaceId=1`)
    expect(body).toMatchObject({ status: 'processing', sources: [{ url: path, crawled: true, status: 'processing' }] })
  },
)

test('removed sites lose their pages; new and changed sites are crawled', async () => {
  const site = (path: string, exclude: string[] = []) => ({
    path: `https://example.com/${path}`,
    exclude,
    maxPages: 100,
  })
  await using knowledge = await openWithBase({ crawl: [site('a'), site('b'), site('c')] })
  await knowledge.add(
    ...['a/1', 'b/1', 'b/old/2', 'c/1', 'own'].map((page) => ({ url: `https://example.com/${page}` })),
  )
  for (const row of await knowledge.readRows('knowledge_sources')) {
    if (!('url' in row)) continue
    const [folder = ''] = (row.url ?? '').replace('https://example.com/', '').split('/')
    await knowledge.finishIngestion(row.source_id, {
      chunks: [{}],
      crawl_path: folder === 'own' ? null : `https://example.com/${folder}`,
    })
  }
  const previousJobs = await knowledge.readJobs()
  const crawl = [site('b', ['/b/old']), site('c'), site('d')]
  const { body, etag } = await knowledge.send(`PATCH ${knowledge.path}`, { workspaceId: 1, crawl })
  expect(etag).toBe('"2"')
  expect(body.crawl).toEqual(crawl)
  const urls = body.sources.map(({ url }: { url: string }) => url.replace('https://example.com/', ''))
  expect(urls.toSorted()).toEqual(['b', 'b/1', 'c', 'c/1', 'd', 'own'])
  expect((await knowledge.readBase(knowledge.id))?.revision).toBe(1)
  const jobs = (await knowledge.readJobs()).slice(previousJobs.length)
  const firstPage = body.sources.find(({ url }: { url: string }) => url === site('d').path)
  expect(firstPage).toMatchObject({ status: 'processing', crawled: true })
  expect(jobs).toEqual([
    ...['b', 'd'].map((path) => ({ kind: 'knowledge-crawl', knowledgeBaseId: knowledge.id, path: site(path).path })),
    { kind: 'knowledge-ingest', sourceId: firstPage.source_id, readingId: firstPage.source_id },
  ])
})
