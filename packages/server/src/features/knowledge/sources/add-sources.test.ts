import { expect, test } from 'vitest'
import type { Upload } from '../../../kernel/api/implement.ts'
import { createSharedClock } from '../../../kernel/work/shared-clock.ts'
import { aroundWrites } from '../../features-test-kit.ts'
import { createKnowledgeService } from '../knowledge-service.ts'
import { openKnowledge } from '../knowledge-test-kit.ts'
import { PART_BYTES, splitIntoParts } from './stage-content.ts'

const EMPTY_BODY = { workspaceId: 1, sources: [] }
const BASE_BODY = {
  ...EMPTY_BODY,
  ...{ name: 'Manuals', description: '', enableAutoRefresh: true, refreshIntervalHours: 24, crawl: [] },
  ...{ maxChunkSize: 2000, minChunkSize: 400 },
}

function createUpload(name: string, sizeBytes: number, open?: Upload['open']): Upload {
  const chunks = async function* () {
    for (let sent = 0; sent < sizeBytes; sent += 65_536) yield new Uint8Array(Math.min(65_536, sizeBytes - sent))
  }
  return { field: 'files', filename: name, contentType: null, sizeBytes, sha256: name, open: open ?? chunks }
}

/** Opens the service on a database that fails permanently from its n-th write on, like a crashed process. */
async function openCrashingService(knowledge: Awaited<ReturnType<typeof openKnowledge>>, writesLeft: number) {
  let remainingWrites = writesLeft
  const countWrite = () => {
    remainingWrites -= 1
    if (remainingWrites < 0) throw new Error('the process is gone')
  }
  const crashingDatabase = aroundWrites(knowledge.database, async (write) => {
    countWrite()
    return await write()
  })
  return createKnowledgeService({
    database: crashingDatabase,
    clock: createSharedClock(knowledge.time.clock),
    makeId: knowledge.makeId,
    jobs: { enqueue: async () => 'job' },
    searches: { forWorkspace: () => ({ search: () => Promise.reject(new Error('no searches here')) }) },
    removals: [],
    getSearchMode: () => 'lexical',
    webhooks: { buildDeleteStatements: () => [] },
  })
}

test('a crash at any point leaves no visible content, and the sweep deletes the rest', async () => {
  await using knowledge = await openKnowledge()
  const { service } = knowledge
  const files = [createUpload('a', 2 * PART_BYTES + 1), createUpload('b', 10)]
  let crashCount = 0
  for (let writes = 0; ; writes += 1) {
    const created = await (await openCrashingService(knowledge, writes)).create(1, BASE_BODY, files).catch(() => null)
    if (created !== null) break
    crashCount += 1
    expect((await service.list(1, { limit: 10, after: null })).items).toEqual([])
  }
  expect(crashCount).toBeGreaterThan(3)
  await knowledge.time.advance(3_599_000)
  await knowledge.runJob('sweep-knowledge')
  expect((await knowledge.readRows('knowledge_sources')).length).toBeGreaterThan(2)
  await knowledge.time.advance(2000)
  await knowledge.runJob('sweep-knowledge')
  const { items } = await service.list(1, { limit: 10, after: null })
  expect(items).toMatchObject([{ sourceCount: 2, status: 'processing' }])
  expect(await knowledge.readRows('knowledge_sources')).toHaveLength(2)
  expect(await knowledge.readRows('knowledge_originals')).toHaveLength(4)
  expect(await knowledge.database.read.selectFrom('knowledge_bases').select('edit_count').execute()).toHaveLength(1)
})

test('adds nothing when a file of the request cannot be read completely', async () => {
  await using knowledge = await openKnowledge()
  const id = await knowledge.addBase()
  const brokenContent = async function* () {
    yield new Uint8Array(PART_BYTES)
    throw new Error('the disk is gone')
  }
  const files = [createUpload('a', 10), createUpload('b', 2 * PART_BYTES, brokenContent)]
  const adding = knowledge.service.addSources({ workspaceId: 1, knowledgeBaseId: id }, EMPTY_BODY, files)
  await expect(adding).rejects.toThrow('the disk is gone')
  expect(await knowledge.readRows('knowledge_sources')).toEqual([])
  expect(await knowledge.readRows('knowledge_originals')).toEqual([])
})

test('deleting a knowledge base during an upload deletes the files', async () => {
  await using knowledge = await openKnowledge()
  const { service } = knowledge
  const id = await knowledge.addBase()
  const slowContent = async function* () {
    yield new Uint8Array(PART_BYTES)
    await service.remove({ workspaceId: 1, knowledgeBaseId: id, ifMatch: null })
    yield new Uint8Array(PART_BYTES)
  }
  const files = [createUpload('a', 2 * PART_BYTES, slowContent)]
  const adding = service.addSources({ workspaceId: 1, knowledgeBaseId: id }, EMPTY_BODY, files)
  await expect(adding).rejects.toMatchObject({ code: 'not_found' })
  expect(await knowledge.readRows('knowledge_originals')).toEqual([])
})

test('restores a source that is deleted while its content is uploaded again', async () => {
  await using knowledge = await openKnowledge()
  const { service } = knowledge
  const id = await knowledge.addBase()
  const target = { workspaceId: 1, knowledgeBaseId: id }
  const { response: base } = await service.addSources(target, EMPTY_BODY, [createUpload('a', 10)])
  const sourceId = base.sources[0]?.source_id ?? ''
  const deletingContent = async function* () {
    await service.removeSource({ ...target, sourceId })
    yield new Uint8Array(5)
  }
  const response = await service.addSources(target, EMPTY_BODY, [
    createUpload('a', 10),
    createUpload('b', 5, deletingContent),
  ])
  expect(response.response.sources.map(({ filename }) => filename).toSorted()).toEqual(['a', 'b'])
  expect(await knowledge.readRows('knowledge_originals')).toHaveLength(2)
})

test('splits content into equal parts regardless of how the bytes arrive', async () => {
  const sizes = [1, PART_BYTES, 0, 2 * PART_BYTES + 7, PART_BYTES - 1]
  const bytes = Buffer.from(new Uint8Array(sizes.reduce((sum, size) => sum + size)).map((_, index) => index % 253))
  const chunks = async function* () {
    let from = 0
    for (const size of sizes) {
      yield bytes.subarray(from, from + size)
      from += size
    }
  }
  const parts: Buffer[] = []
  for await (const part of splitIntoParts(chunks())) parts.push(part)
  expect(Buffer.concat(parts).equals(bytes)).toBe(true)
  expect(parts.slice(0, -1).every(({ length }) => length === PART_BYTES)).toBe(true)
  const encoded = parts.map((part) => part.toString('base64')).join('')
  expect(encoded).toBe(bytes.toString('base64'))
})
