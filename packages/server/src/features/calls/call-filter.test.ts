import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isInEveryId, readSearchTerm } from './call-filter.ts'

const ID_MARK = '\u{e001}\u{e001}'

test.each(['', '   '])('"%s" searches for everything', (text) => {
  expect(readSearchTerm(text)).toEqual({ kind: 'everything' })
})

test('a prefix of every id is searched as text', () => {
  for (const text of ['al', 'C', '_', 'Call', 'call_']) expect(isInEveryId(text)).toBe(true)
  for (const text of ['all ', 'call_1', 'recall']) expect(isInEveryId(text)).toBe(false)
  expect(readSearchTerm('call')).toEqual({ kind: 'indexed', text: 'call', phrases: ['call'] })
  expect(readSearchTerm('call_')).toEqual({ kind: 'indexed', text: 'call_', phrases: ['call_'] })
})

test.each(['ab', '+1', '_3', 'é'])('"%s" is too short for the index', (text) => {
  expect(readSearchTerm(text)).toEqual({ kind: 'short', text })
})

test('the beginning of an id is searched as text and after the id mark', () => {
  const phrases = (text: string) => {
    const term = readSearchTerm(text)
    return term.kind === 'indexed' ? term.phrases : null
  }
  expect(phrases('call_3fa')).toEqual(['call_3fa', `${ID_MARK}3fa`])
  expect(phrases('L_3')).toEqual(['L_3', `${ID_MARK}3`])
  expect(phrases('_3f')).toEqual(['_3f', `${ID_MARK}3f`])
  expect(phrases('recall_3')).toEqual(['recall_3'])
  expect(phrases(' Ann "O" ')).toEqual(['Ann "O"'])
})

test('never matches across two texts', () => {
  expect(readSearchTerm('a\u{1f}bcd')).toEqual({ kind: 'nothing' })
})

test('index queries always have at least three characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const term = readSearchTerm(text)
      if (term.kind === 'indexed') for (const phrase of term.phrases) expect([...phrase].length).toBeGreaterThan(2)
    }),
  )
})
