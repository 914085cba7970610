import { KNOWLEDGE_BASE_STATUSES } from '@parley/contract/knowledge-base'
import { SOURCE_STATUSES as ALL_STATUSES, type KnowledgeSource } from '@parley/contract/knowledge-source'
import { expect, test } from 'vitest'
import { SOURCE_STATUSES } from './base-search.ts'
import {
  listingOf,
  progressOf,
  STATUS_LABELS,
  sourceName,
  sourceOrigin,
  webAddress,
  withNewest,
} from './source-facts.ts'

const sourceOf = (id: string, changes: Partial<KnowledgeSource> = {}): KnowledgeSource => ({
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

test('every state of the contract has a name', () => {
  expect([...SOURCE_STATUSES]).toEqual([...ALL_STATUSES])
  expect(Object.keys(STATUS_LABELS).sort()).toEqual([...KNOWLEDGE_BASE_STATUSES].sort())
})

test.each([
  [{ title: 'Manual', filename: 'a.pdf', url: null }, 'Manual', 'a.pdf'],
  [{ title: '', filename: 'a.pdf', url: null }, 'a.pdf', null],
  [{ title: ' ', filename: '', url: 'https://example.com/a' }, 'https://example.com/a', null],
  [{ title: 'Repairs', filename: '', url: 'https://example.com/a' }, 'Repairs', 'https://example.com/a'],
  [{ title: '', filename: '', url: null }, null, null],
])('%j is called %s', (source, name, origin) => {
  expect(sourceName(source)).toBe(name)
  expect(sourceOrigin(source)).toBe(origin)
})

test.each([
  ['https://example.com/a', true],
  ['HTTP://example.com', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  [' https://example.com', false],
  ['https://', false],
  [null, false],
])('whether %s may be a link: %s', (url, may) => expect(webAddress(url)).toBe(may ? url : null))

test('states that are newer replace those of the list, and further rows stay', () => {
  const ready = sourceOf('b', { status: 'ready', chunkCount: 3 })
  expect(withNewest([sourceOf('a'), sourceOf('b')], [ready])).toEqual([sourceOf('a'), ready])
})

test('the list is read again when sources come or go or all is read, not for each state', () => {
  const before = { sources: [sourceOf('b'), sourceOf('a')], sourceCount: 2, status: 'processing' as const }
  const later = { ...before, sources: [sourceOf('b', { status: 'ready' }), sourceOf('a')] }
  expect(listingOf(later)).toBe(listingOf(before))
  expect(progressOf(later)).toEqual({ done: 1, total: 2 })
  expect(listingOf({ ...later, status: 'ready' })).not.toBe(listingOf(before))
  expect(listingOf({ ...before, sourceCount: 3 })).not.toBe(listingOf(before))
})
