import { expect, test } from 'vitest'
import { proposeTokens } from './token-draft.ts'

const DRAFT = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24]

test.each([
  ['the whole draft at the start', [], DRAFT],
  ['the rest after matching tokens', [10, 11, 12], DRAFT.slice(3)],
  ['some tokens behind a replaced token', [10, 99], DRAFT.slice(2, 10)],
  ['some tokens behind skipped tokens', [10, 13], DRAFT.slice(4, 12)],
  ['nothing behind the end', [...DRAFT, 30], []],
])('proposes %s', (_, tokens, proposal) => {
  expect(proposeTokens(DRAFT, tokens)).toEqual(proposal)
})

test('proposes nothing without a draft', () => {
  expect(proposeTokens([], [1, 2])).toEqual([])
})
