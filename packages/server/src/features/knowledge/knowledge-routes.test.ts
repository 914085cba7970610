import type { Passage } from '@parley/contract/knowledge-passage'
import { expect, test } from 'vitest'
import { openKnowledge } from './knowledge-test-kit.ts'

const BASES = '/api/knowledge-bases'

test('creates, reads, updates and deletes a knowledge base', async () => {
  await using knowledge = await openKnowledge()
  const { send, time } = knowledge
  const created = await send(`POST ${BASES}`, { workspaceId: 1, name: 'Manuals' })
  const id = created.body.knowledgeBaseId
  expect(created).toMatchObject({ status: 201, etag: '"1"' })
  expect(created.body).toEqual({
    knowledgeBaseId: expect.stringMatching(/^knowledge_base_[0-9a-f]{26}$/),
    workspaceId: 1,
    name: 'Manuals',
    description: '',
    status: 'ready',
    sources: [],
    sourceCount: 0,
    chunkCount: 0,
    searchMode: 'lexical',
    enableAutoRefresh: false,
    refreshIntervalHours: 24,
    crawl: [],
    maxChunkSize: 2000,
    minChunkSize: 400,
    lastRefreshedAt: null,
    createdAt: '2026-01-05T12:00:00.000Z',
    updatedAt: '2026-01-05T12:00:00.000Z',
  })
  await time.advance(1000)
  const path = `${BASES}/${id}`
  const patch = { workspaceId: 1, name: 'Help', description: 'For callers', enable_auto_refresh: true }
  const patched = await send(`PATCH ${path}`, patch, { 'if-match': '"1"' })
  expect(patched).toMatchObject({ status: 200, etag: '"2"' })
  expect(patched.body).toEqual({
    ...created.body,
    name: 'Help',
    description: 'For callers',
    enableAutoRefresh: true,
    updatedAt: '2026-01-05T12:00:01.000Z',
  })
  expect(await send(`PATCH ${path}`, patch)).toMatchObject({ etag: '"2"' })
  expect(await send(`PATCH ${path}`, { workspaceId: 1, name: 'x' }, { 'if-match': '"1"' })).toMatchObject({
    status: 412,
    body: { code: 'version_conflict' },
  })
  const cleared = {
    workspaceId: 1,
    description: null,
    enableAutoRefresh: null,
    refreshIntervalHours: null,
    crawl: null,
  }
  expect(await send(`PATCH ${path}`, cleared)).toMatchObject({
    etag: '"3"',
    body: { description: '', enableAutoRefresh: false },
  })
  expect(await send(`GET ${path}?workspaceId=1`)).toMatchObject({ status: 200, etag: '"3"', body: { name: 'Help' } })
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"1"' })).status).toBe(412)
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"3"' })).status).toBe(204)
  expect(knowledge.removedBases).toMatchObject([{ workspaceId: 1, knowledgeBaseId: id }])
  expect(knowledge.deletedSubjects).toEqual([{ kind: 'knowledge_base', id }])
  expect((await send(`GET ${path}?workspaceId=1`)).status).toBe(404)
  expect((await send(`GET ${BASES}?workspaceId=1`)).body).toEqual([])
})

test('returns 404 for an id of another workspace and for an unknown one', async () => {
  await using knowledge = await openKnowledge()
  const { send } = knowledge
  const id = await knowledge.addBase({ sources: [{ text: 'Hello' }] })
  const otherId = await knowledge.addBase({ sources: [{ text: 'Other' }] })
  const [source] = (await send(`GET ${BASES}/${otherId}?workspaceId=1`)).body.sources
  const buildRequests = (base: string, sourceId: string): [string, object?][] => [
    [`GET ${BASES}/${base}`],
    [`PATCH ${BASES}/${base}`, { name: 'x' }],
    [`DELETE ${BASES}/${base}`],
    [`POST ${BASES}/${base}/sources`, { sources: [{ text: 'x' }] }],
    [`GET ${BASES}/${base}/sources`],
    [`DELETE ${BASES}/${base}/sources/${sourceId}`],
    [`GET ${BASES}/${base}/sources/${sourceId}/chunks`],
    [`POST ${BASES}/${base}/refresh`, {}],
    [`POST ${BASES}/${base}/search`, { query: 'x' }],
  ]
  for (const [requestLine, body] of [...buildRequests(id, source.source_id), ...buildRequests('nothing', 'nothing')]) {
    const response = await send(`${requestLine}?workspaceId=2`, body && { workspaceId: 2, ...body })
    expect([requestLine, response.status, response.body.code]).toEqual([requestLine, 404, 'not_found'])
  }
  const sourcePath = `${BASES}/${id}/sources/${source.source_id}`
  expect((await send(`DELETE ${sourcePath}?workspaceId=1`)).status).toBe(404)
  expect((await send(`GET ${sourcePath}/chunks?workspaceId=1`)).status).toBe(404)
  const refresh = { workspaceId: 1, sourceIds: [source.source_id] }
  expect((await send(`POST ${BASES}/${id}/refresh`, refresh)).status).toBe(404)
  expect(await knowledge.readRows('knowledge_sources')).toHaveLength(2)
})

test('lists bases in pages, newest first, with data derived from sources', async () => {
  await using knowledge = await openKnowledge()
  const { send, time } = knowledge
  const ids: string[] = []
  for (const name of ['One', 'Two', 'Three']) {
    await time.advance(1)
    ids.unshift(await knowledge.addBase({ name, sources: [{ text: name }, { text: `${name} more` }] }))
  }
  const [source] = (await send(`GET ${BASES}/${ids[0]}?workspaceId=1`)).body.sources
  await knowledge.finishIngestion(source.source_id, { chunks: [{}, {}] })
  const first = await send(`GET ${BASES}?workspaceId=1&limit=2`)
  expect(first.body).toMatchObject([
    { knowledgeBaseId: ids[0], status: 'processing', sourceCount: 2, chunkCount: 2 },
    { knowledgeBaseId: ids[1], status: 'processing', sourceCount: 2, chunkCount: 0 },
  ])
  expect(first.body[0]).not.toHaveProperty('sources')
  const second = await send(`GET ${BASES}?workspaceId=1&limit=2&paginationKey=${first.next}`)
  expect(second.body).toMatchObject([{ knowledgeBaseId: ids[2] }])
  expect(second.next).toBeUndefined()
  expect((await send(`GET ${BASES}?workspaceId=2`)).body).toEqual([])

  const sources = `${BASES}/${ids[0]}/sources?workspaceId=1`
  expect((await send(`${`GET ${sources}`}&status=ready`)).body).toMatchObject([{ source_id: source.source_id }])
  const page = await send(`GET ${sources}&limit=1`)
  const nextPage = await send(`GET ${sources}&limit=1&paginationKey=${page.next}`)
  const foundIds = [...page.body, ...nextPage.body].map(({ source_id }) => source_id)
  expect(new Set(foundIds).size).toBe(2)
  expect(nextPage.next).toBeUndefined()
  expect((await send(`GET ${sources}&status=lost`)).status).toBe(400)
})

test('returns passages of the live generation in document order', async () => {
  await using knowledge = await openKnowledge()
  const { send } = knowledge
  const id = await knowledge.addBase({ sources: [{ text: 'Hello' }] })
  const [{ source_id }] = (await send(`GET ${BASES}/${id}?workspaceId=1`)).body.sources
  const path = `GET ${BASES}/${id}/sources/${source_id}/chunks?workspaceId=1`
  expect((await send(path)).body).toEqual([])
  await knowledge.finishIngestion(source_id, { chunks: [{ page: 3, headings: '["A","B"]' }, {}, {}] })
  await knowledge.finishIngestion(source_id, { generation: 2, chunks: [{ text: 'Coming' }] })
  await knowledge.finishIngestion(source_id, { generation: 1 })
  const first = await send(`${path}&limit=2`)
  expect(first.body).toEqual([
    { position: 0, page: 3, headings: ['A', 'B'], text: 'Passage 0' },
    { position: 1, page: null, headings: [], text: 'Passage 1' },
  ])
  expect((await send(`${path}&limit=2&paginationKey=${first.next}`)).body).toMatchObject([{ position: 2 }])
  const distantKey = Buffer.from('999999999999999:x').toString('base64url')
  expect((await send(`${path}&paginationKey=${distantKey}`)).body).toEqual([])
})

test('a search returns passages, or why there are none', async () => {
  await using knowledge = await openKnowledge()
  const { send, stubs, searchRequests, time } = knowledge
  const id = await knowledge.addBase()
  const path = `POST ${BASES}/${id}/search`
  const passage: Passage = {
    ...{ knowledgeBaseId: id, sourceId: 'source_1', sourceType: 'text', sourceName: 'Prices', url: null, page: null },
    ...{ headings: [], text: 'A tire costs 18.', score: 0.8, mode: 'lexical' },
  }
  stubs.search = async () => ({ ok: true, passages: [passage], mode: 'lexical', missing: [] })
  const query = { workspaceId: 1, query: 'tire', topK: 5, filterScore: 0.5 }
  expect(await send(path, query)).toMatchObject({ status: 200, body: [passage] })
  const expectedRequest = { query: [{ text: 'tire', weight: 1 }], topK: 5, filterScore: 0.5, workspaceId: 1 }
  expect(searchRequests).toMatchObject([{ ...expectedRequest, knowledgeBaseIds: [id] }])

  stubs.search = async () => ({ ok: false, message: 'The index is being built.' })
  expect(await send(path, query)).toMatchObject({ status: 503, body: { code: 'unavailable' } })
  stubs.search = async () => ({ ok: true, passages: [], mode: 'lexical', missing: [id] })
  expect((await send(path, query)).status).toBe(404)
  const started = Promise.withResolvers<void>()
  stubs.search = () => {
    started.resolve()
    return new Promise(() => undefined)
  }
  const hanging = send(path, query)
  await started.promise
  await time.advance(15_000)
  expect((await hanging).status).toBe(503)
  expect(searchRequests.at(-1)?.signal.aborted).toBe(true)
  const rejected = await send(path, { workspaceId: 1, query: ' ', topK: 11, filterScore: 2 })
  expect(rejected.body.details.map((detail: { path: string }) => detail.path)).toEqual(['query', 'topK', 'filterScore'])
})

test('a refresh reads pages again and retries failed sources', async () => {
  await using knowledge = await openKnowledge()
  const { send } = knowledge
  const sources = [{ url: 'https://example.com/a' }, { url: 'https://example.com/b' }, { text: 'one' }, { text: 'two' }]
  const id = await knowledge.addBase({ sources, crawl: [{ path: 'https://example.com/help' }] })
  const addedSources: { source_id: string; url: string | null }[] = (await send(`GET ${BASES}/${id}?workspaceId=1`))
    .body.sources
  const pages = addedSources.filter(({ url }) => url !== null).map(({ source_id }) => source_id)
  const [failedId = '', readId = ''] = addedSources.filter(({ url }) => url === null).map(({ source_id }) => source_id)
  for (const sourceId of [...pages, readId]) await knowledge.finishIngestion(sourceId, { chunks: [{}] })
  await knowledge.finishIngestion(failedId, { status: 'error', error: 'It could not be read.' })
  const path = `POST ${BASES}/${id}/refresh`
  const partialRefresh = await send(path, { workspaceId: 1, sourceIds: [pages[0]] })
  expect(partialRefresh).toMatchObject({ status: 200, body: { status: 'refreshing' } })
  await knowledge.finishIngestion(pages[0] ?? '')
  const before = (await knowledge.readJobs()).length
  const fullRefresh = await send(path, { workspaceId: 1 })
  expect(fullRefresh.body).toMatchObject({ status: 'processing', lastRefreshedAt: '2026-01-05T12:00:00.000Z' })
  const jobs = (await knowledge.readJobs()).slice(before)
  const ingested = jobs.flatMap((job) => ('sourceId' in job ? [job.sourceId] : []))
  expect(ingested.toSorted()).toEqual([...pages, failedId].toSorted())
  expect(jobs).toContainEqual({ kind: 'knowledge-crawl', knowledgeBaseId: id, path: 'https://example.com/help' })
})

test('the next refresh time follows the settings', async () => {
  await using knowledge = await openKnowledge()
  const { send, time } = knowledge
  const hours = 3_600_000
  const createdAt = time.clock.now()
  const id = await knowledge.addBase({ enableAutoRefresh: true, refreshIntervalHours: 48 })
  const readDueAt = async () => (await knowledge.readBase(id))?.refresh_due_at
  const patch = (body: object) => send(`PATCH ${BASES}/${id}`, { workspaceId: 1, ...body })
  expect(await readDueAt()).toBe(createdAt + 48 * hours)
  await time.advance(12 * hours)
  await patch({ name: 'Help' })
  expect(await readDueAt()).toBe(createdAt + 48 * hours)
  await patch({ enableAutoRefresh: false })
  expect(await readDueAt()).toBeNull()
  await patch({ enableAutoRefresh: true, refreshIntervalHours: 1 })
  expect(await readDueAt()).toBe(createdAt + 12 * hours)
  await send(`POST ${BASES}/${id}/refresh`, { workspaceId: 1 })
  expect(await readDueAt()).toBe(createdAt + 13 * hours)
  await patch({ refreshIntervalHours: 24 })
  expect(await readDueAt()).toBe(createdAt + 36 * hours)
})

test('rejects an invalid body with every problem', async () => {
  await using knowledge = await openKnowledge()
  const findProblems = async (body: object) => {
    const { status, body: responseBody } = await knowledge.send(`POST ${BASES}`, { workspaceId: 1, name: 'x', ...body })
    return [status, responseBody.details?.map(({ path }: { path: string }) => path)]
  }
  expect(await findProblems({ name: ' ', maxChunkSize: 600, minChunkSize: 600 })).toEqual([
    400,
    ['name', 'minChunkSize'],
  ])
  expect(await findProblems({ name: 'x'.repeat(40) })).toEqual([400, ['name']])
  const site = { path: 'https://example.com/' }
  expect(await findProblems({ crawl: [site, site] })).toEqual([400, ['crawl[1].path']])
  const sources = [{ text: 'x', url: 'https://example.com' }, { url: 'ftp://example.com' }, { base64: 'eA==' }, {}]
  const paths = ['sources[0]', 'sources[1].url', 'sources[2].filename', 'sources[3]']
  expect(await findProblems({ sources })).toEqual([400, paths])
  const emptyFile = { base64: '', filename: 'x.txt' }
  expect(await findProblems({ sources: [emptyFile, { text: 'x' }, emptyFile] })).toEqual([
    400,
    ['sources[0].base64', 'sources[2].base64'],
  ])
  expect(await knowledge.readRows('knowledge_sources')).toEqual([])
  expect((await knowledge.send(`GET ${BASES}?workspaceId=1`)).body).toEqual([])
})
