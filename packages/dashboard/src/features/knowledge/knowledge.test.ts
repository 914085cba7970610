import { KNOWLEDGE_BASE_STATUSES } from '@parley/contract/knowledge-base'
import { SOURCE_STATUSES as ALL_STATUSES, type KnowledgeSource, UPLOAD_LIMITS } from '@parley/contract/knowledge-source'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type DroppedItem,
  MAX_FILE_BYTES,
  MAX_REQUEST_BYTES,
  MAX_REQUEST_FILES,
  type PlannedFile,
  planUploads,
  readDrop,
} from '../../parts/knowledge/plan-uploads.ts'
import {
  buildListingKey,
  calculateProgress,
  getSourceName,
  getSourceOrigin,
  mergeLatest,
  STATUS_LABELS,
  toWebLink,
} from '../../parts/knowledge/source-info.ts'
import { SOURCE_STATUSES } from './base-search.ts'

const createSource = (id: string, changes: Partial<KnowledgeSource> = {}): KnowledgeSource => ({
  source_id: id,
  source_type: 'file',
  filename: 'a.pdf',
  title: '',
  url: null,
  contentType: null,
  status: 'processing',
  error: null,
  size: null,
  characters: 0,
  pageCount: null,
  chunkCount: 0,
  crawled: false,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  refreshedAt: null,
  ...changes,
})

test('every status has a label', () => {
  expect([...SOURCE_STATUSES]).toEqual([...ALL_STATUSES])
  expect(Object.keys(STATUS_LABELS).sort()).toEqual([...KNOWLEDGE_BASE_STATUSES].sort())
})

test.each([
  [{ title: 'Manual', filename: 'a.pdf', url: null }, 'Manual', 'a.pdf'],
  [{ title: '', filename: 'a.pdf', url: null }, 'a.pdf', null],
  [{ title: ' ', filename: '', url: 'https://example.com/a' }, 'https://example.com/a', null],
  [{ title: 'Repairs', filename: '', url: 'https://example.com/a' }, 'Repairs', 'https://example.com/a'],
  [{ title: '', filename: '', url: null }, null, null],
])('the name of %j is %s', (source, name, origin) => {
  expect(getSourceName(source)).toBe(name)
  expect(getSourceOrigin(source)).toBe(origin)
})

test.each([
  ['https://example.com/a', true],
  ['HTTP://example.com', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  [' https://example.com', false],
  ['https://', false],
  [null, false],
])('%s is a web link: %s', (url, isLink) => expect(toWebLink(url)).toBe(isLink ? url : null))

test('replaces rows with newer versions and keeps all others', () => {
  const ready = createSource('b', { status: 'ready', chunkCount: 3 })
  expect(mergeLatest([createSource('a'), createSource('b')], [ready])).toEqual([createSource('a'), ready])
})

test('the list key changes when sources are added or removed or processing ends, not for each status', () => {
  const processingBase = {
    sources: [createSource('b'), createSource('a')],
    sourceCount: 2,
    status: 'processing' as const,
  }
  const laterBase = { ...processingBase, sources: [createSource('b', { status: 'ready' }), createSource('a')] }
  expect(buildListingKey(laterBase)).toBe(buildListingKey(processingBase))
  expect(calculateProgress(laterBase)).toEqual({ done: 1, total: 2 })
  expect(buildListingKey({ ...laterBase, status: 'ready' })).not.toBe(buildListingKey(processingBase))
  expect(buildListingKey({ ...processingBase, sourceCount: 3 })).not.toBe(buildListingKey(processingBase))
})

const createItem = (name: string, isDirectory: boolean): DroppedItem<string> => ({
  kind: 'file',
  getAsFile: () => name,
  webkitGetAsEntry: () => ({ isDirectory, name }),
})
const textItem: DroppedItem<string> = { kind: 'string', getAsFile: () => null, webkitGetAsEntry: () => null }

test('reads dropped files and folders', () => {
  expect(
    readDrop([createItem('a.pdf', false), createItem('Manuals', true), textItem, createItem('b.txt', false)]),
  ).toEqual({
    files: ['a.pdf', 'b.txt'],
    folders: ['Manuals'],
  })
})

test('ignores dropped text', () => {
  expect(readDrop([textItem])).toEqual({ files: [], folders: [] })
})

const MIB = 1024 * 1024
const planFiles = (files: readonly PlannedFile[], folders: readonly string[] = []) => planUploads({ files, folders })
const createFile = (size: number, name = 'a.pdf') => ({ name, size })

test('the limits match the server', () => {
  expect({
    maxFiles: MAX_REQUEST_FILES,
    maxFileBytes: MAX_FILE_BYTES,
    maxRequestBytes: MAX_REQUEST_BYTES,
  }).toEqual(UPLOAD_LIMITS)
})

test('sends small files together', () => {
  const files = Array.from({ length: 60 }, (_, index) => createFile(1_000, `${index}.txt`))
  expect(planFiles(files).batches.map(({ length }) => length)).toEqual([25, 25, 10])
})

test('sends large files in separate requests', () => {
  const { batches } = planFiles([
    createFile(40 * MIB),
    createFile(1),
    createFile(50 * MIB),
    createFile(2 * MIB),
    createFile(3 * MIB),
  ])
  expect(batches.map((batch) => batch.map(({ size }) => size))).toEqual([
    [40 * MIB],
    [1],
    [50 * MIB],
    [2 * MIB, 3 * MIB],
  ])
})

test('does not send files that the server would reject', () => {
  const { batches, rejected } = planFiles([createFile(0), createFile(50 * MIB + 1), createFile(5)])
  expect(batches).toEqual([[createFile(5)]])
  expect(rejected.map(({ reason }) => reason)).toEqual(['empty', 'too-large'])
})

test('rejects folders', () => {
  expect(planFiles([createFile(5)], ['Manuals'])).toEqual({
    batches: [[createFile(5)]],
    rejected: [{ name: 'Manuals', reason: 'folder' }],
  })
})

test('sends every accepted file once, in order, within the limits', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 60 * MIB }), { maxLength: 80 }), (sizes) => {
      const { batches, rejected } = planFiles(sizes.map((size) => createFile(size)))
      expect(batches.flat().map(({ size }) => size)).toEqual(sizes.filter((size) => size > 0 && size <= 50 * MIB))
      expect(batches.flat().length + rejected.length).toBe(sizes.length)
      for (const batch of batches) {
        expect(batch.length).toBeGreaterThan(0)
        expect(batch.length).toBeLessThanOrEqual(UPLOAD_LIMITS.maxFiles)
        const sizeBytes = batch.reduce((sum, { size }) => sum + size, 0)
        // Leaves room for the file names.
        expect(sizeBytes).toBeLessThan(UPLOAD_LIMITS.maxRequestBytes - MIB)
      }
    }),
  )
})
