import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideAdditions, type ExistingSource } from './decide-additions.ts'
import type { RequestedSource } from './read-sources.ts'

const requestedOf = (identity: string, title = ''): RequestedSource => {
  return { kind: 'text', title, filename: '', url: null, givenContentType: null, identity, content: null }
}

const existingOf = (identity: string, fields: Partial<ExistingSource> = {}): ExistingSource => {
  const read = { kind: 'text', title: '', status: 'ready', error: null, generation: 1, crawlPath: null }
  return { sourceId: `source_${identity}`, identity, ...read, ...fields }
}

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e')

test('each document exists once, and existing ones are not added', () => {
  fc.assert(
    fc.property(fc.array(names), fc.uniqueArray(names), (requested, existing) => {
      const { added, changed } = decideAdditions(
        requested.map((name) => requestedOf(name)),
        existing.map((name) => existingOf(name)),
        existing.length,
      )
      const after = [...existing, ...added.map(({ identity }) => identity)]
      expect(after.toSorted()).toEqual([...new Set([...requested, ...existing])].toSorted())
      expect(changed).toEqual([])
    }),
  )
})

test.each([
  ['a source that is being read', { status: 'processing', generation: 0 }, null],
  ['a source that is being read again', { status: 'refreshing', error: 'It was gone.' }, null],
  ['a source that could not be read', { status: 'error', error: 'Too large.', generation: 0 }, 'processing'],
  ['a page whose refresh failed', { kind: 'url', error: 'It is gone.' }, 'refreshing'],
])('%s', (_name, fields, readAs) => {
  const { added, changed } = decideAdditions([requestedOf('a')], [existingOf('a', fields)], 1)
  expect(added).toEqual([])
  expect(changed).toEqual(readAs === null ? [] : [{ sourceId: 'source_a', title: '', readAs }])
})

test('a title renames a page, and no title keeps its name', () => {
  const page = { kind: 'url', title: 'Old' }
  const existing = [existingOf('a', page), existingOf('b', page)]
  const requested = [requestedOf('a', 'New'), requestedOf('b')].map((source) => ({ ...source, kind: 'url' as const }))
  const { changed } = decideAdditions(requested, existing, 2)
  expect(changed).toEqual([{ sourceId: 'source_a', title: 'New', readAs: null }])
})

test('the same content under another title is another source', () => {
  const { added } = decideAdditions([requestedOf('c'), requestedOf('c', 'First'), requestedOf('c', 'Second')], [], 0)
  expect(added.map(({ title }) => title)).toEqual(['First', 'Second'])
  const existing = added.map(({ identity, title }) => existingOf(identity, { title }))
  expect(new Set(existing.map(({ identity }) => identity)).size).toBe(2)
  const again = decideAdditions([requestedOf('c', 'Second'), requestedOf('c'), requestedOf('c', 'First')], existing, 2)
  expect(again).toMatchObject({ added: [], changed: [] })
  const third = decideAdditions([requestedOf('c', 'Third')], existing, 2)
  expect(third).toMatchObject({ added: [{ title: 'Third' }], changed: [] })
})

test('a title names untitled content', () => {
  const { added, changed } = decideAdditions([requestedOf('a', 'Name')], [existingOf('a')], 1)
  expect(added).toEqual([])
  expect(changed).toEqual([{ sourceId: 'source_a', title: 'Name', readAs: null }])
})

test('the limit counts existing sources and accepts duplicates', () => {
  expect(decideAdditions([requestedOf('a'), requestedOf('b')], [], 1999).tooMany).toBe(true)
  expect(decideAdditions([requestedOf('a'), requestedOf('a')], [], 1999).tooMany).toBe(false)
  expect(decideAdditions([requestedOf('a')], [existingOf('a')], 2000).tooMany).toBe(false)
})
