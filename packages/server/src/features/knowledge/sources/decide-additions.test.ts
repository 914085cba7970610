import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decideAdditions, type PresentSource } from './decide-additions.ts'
import type { WantedSource } from './read-sources.ts'

const wantedOf = (identity: string, title = ''): WantedSource => {
  return { kind: 'text', title, filename: '', url: null, givenContentType: null, identity, content: null }
}

const presentOf = (identity: string, fields: Partial<PresentSource> = {}): PresentSource => {
  const read = { kind: 'text', title: '', status: 'ready', error: null, generation: 1, crawlPath: null }
  return { sourceId: `source_${identity}`, identity, ...read, ...fields }
}

const names = fc.constantFrom('a', 'b', 'c', 'd', 'e')

test('each document is there once, and what is there is not added', () => {
  fc.assert(
    fc.property(fc.array(names), fc.uniqueArray(names), (wanted, present) => {
      const { added, changed } = decideAdditions(
        wanted.map((name) => wantedOf(name)),
        present.map((name) => presentOf(name)),
        present.length,
      )
      const after = [...present, ...added.map(({ identity }) => identity)]
      expect(after.toSorted()).toEqual([...new Set([...wanted, ...present])].toSorted())
      expect(changed).toEqual([])
    }),
  )
})

test.each([
  ['one that is being read', { status: 'processing', generation: 0 }, null],
  ['one that is being read again', { status: 'refreshing', error: 'It was gone.' }, null],
  ['one that could not be read', { status: 'error', error: 'Too large.', generation: 0 }, 'processing'],
  ['a page whose refresh failed', { kind: 'url', error: 'It is gone.' }, 'refreshing'],
])('%s', (_name, fields, readAs) => {
  const { added, changed } = decideAdditions([wantedOf('a')], [presentOf('a', fields)], 1)
  expect(added).toEqual([])
  expect(changed).toEqual(readAs === null ? [] : [{ sourceId: 'source_a', title: '', readAs }])
})

test('a title renames a page, and none leaves it its name', () => {
  const page = { kind: 'url', title: 'Old' }
  const present = [presentOf('a', page), presentOf('b', page)]
  const wanted = [wantedOf('a', 'New'), wantedOf('b')].map((source) => ({ ...source, kind: 'url' as const }))
  const { changed } = decideAdditions(wanted, present, 2)
  expect(changed).toEqual([{ sourceId: 'source_a', title: 'New', readAs: null }])
})

test('the same content under another title is another source', () => {
  const { added } = decideAdditions([wantedOf('c'), wantedOf('c', 'First'), wantedOf('c', 'Second')], [], 0)
  expect(added.map(({ title }) => title)).toEqual(['First', 'Second'])
  const present = added.map(({ identity, title }) => presentOf(identity, { title }))
  expect(new Set(present.map(({ identity }) => identity)).size).toBe(2)
  const again = decideAdditions([wantedOf('c', 'Second'), wantedOf('c'), wantedOf('c', 'First')], present, 2)
  expect(again).toMatchObject({ added: [], changed: [] })
  const third = decideAdditions([wantedOf('c', 'Third')], present, 2)
  expect(third).toMatchObject({ added: [{ title: 'Third' }], changed: [] })
})

test('a title names content that has none', () => {
  const { added, changed } = decideAdditions([wantedOf('a', 'Name')], [presentOf('a')], 1)
  expect(added).toEqual([])
  expect(changed).toEqual([{ sourceId: 'source_a', title: 'Name', readAs: null }])
})

test('the limit counts what is there, and lets what is there already pass', () => {
  expect(decideAdditions([wantedOf('a'), wantedOf('b')], [], 1999).tooMany).toBe(true)
  expect(decideAdditions([wantedOf('a'), wantedOf('a')], [], 1999).tooMany).toBe(false)
  expect(decideAdditions([wantedOf('a')], [presentOf('a')], 2000).tooMany).toBe(false)
})
