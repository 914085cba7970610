import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideAdditions, type ExistingSource } from './decide-additions.ts'
import type { RequestedSource } from './read-sources.ts'

const buildRequested = (identity: string, title = ''): RequestedSource => {
  return { kind: 'text', title, filename: '', url: null, givenContentType: null, identity, content: null }
}

const buildExisting = (identity: string, fields: Partial<ExistingSource> = {}): ExistingSource => {
  const columns = { kind: 'text', title: '', status: 'ready', error: null, generation: 1, crawlPath: null }
  return { sourceId: `source_${identity}`, identity, ...columns, ...fields }
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')

test('adds each new document once', () => {
  fc.assert(
    fc.property(fc.array(name), fc.uniqueArray(name), (requested, existing) => {
      const { addedSources, changes } = decideAdditions(
        requested.map((name) => buildRequested(name)),
        existing.map((name) => buildExisting(name)),
        existing.length,
      )
      const identities = [...existing, ...addedSources.map(({ identity }) => identity)]
      expect(identities.toSorted()).toEqual([...new Set([...requested, ...existing])].toSorted())
      expect(changes).toEqual([])
    }),
  )
})

test.each([
  ['a source that is being read', { status: 'processing', generation: 0 }, null],
  ['a source that is being read again', { status: 'refreshing', error: 'It was gone.' }, null],
  ['a source that could not be read', { status: 'error', error: 'Too large.', generation: 0 }, 'processing'],
  ['a page whose refresh failed', { kind: 'url', error: 'It is gone.' }, 'refreshing'],
])('%s', (_name, fields, nextStatus) => {
  const { addedSources, changes } = decideAdditions([buildRequested('a')], [buildExisting('a', fields)], 1)
  expect(addedSources).toEqual([])
  expect(changes).toEqual(nextStatus === null ? [] : [{ sourceId: 'source_a', title: '', nextStatus }])
})

test('a title renames a page, and an omitted title keeps its name', () => {
  const page = { kind: 'url', title: 'Old' }
  const existing = [buildExisting('a', page), buildExisting('b', page)]
  const requested = [buildRequested('a', 'New'), buildRequested('b')].map((source) => ({
    ...source,
    kind: 'url' as const,
  }))
  const { changes } = decideAdditions(requested, existing, 2)
  expect(changes).toEqual([{ sourceId: 'source_a', title: 'New', nextStatus: null }])
})

test('the same content under another title is another source', () => {
  const { addedSources } = decideAdditions(
    [buildRequested('c'), buildRequested('c', 'First'), buildRequested('c', 'Second')],
    [],
    0,
  )
  expect(addedSources.map(({ title }) => title)).toEqual(['First', 'Second'])
  const existing = addedSources.map(({ identity, title }) => buildExisting(identity, { title }))
  expect(new Set(existing.map(({ identity }) => identity)).size).toBe(2)
  const repeatedAdditions = decideAdditions(
    [buildRequested('c', 'Second'), buildRequested('c'), buildRequested('c', 'First')],
    existing,
    2,
  )
  expect(repeatedAdditions).toMatchObject({ addedSources: [], changes: [] })
  const thirdAddition = decideAdditions([buildRequested('c', 'Third')], existing, 2)
  expect(thirdAddition).toMatchObject({ addedSources: [{ title: 'Third' }], changes: [] })
})

test('a title names untitled content', () => {
  const { addedSources, changes } = decideAdditions([buildRequested('a', 'Name')], [buildExisting('a')], 1)
  expect(addedSources).toEqual([])
  expect(changes).toEqual([{ sourceId: 'source_a', title: 'Name', nextStatus: null }])
})

test('the limit counts existing sources and accepts duplicates', () => {
  expect(decideAdditions([buildRequested('a'), buildRequested('b')], [], 1999).exceedsLimit).toBe(true)
  expect(decideAdditions([buildRequested('a'), buildRequested('a')], [], 1999).exceedsLimit).toBe(false)
  expect(decideAdditions([buildRequested('a')], [buildExisting('a')], 2000).exceedsLimit).toBe(false)
})
