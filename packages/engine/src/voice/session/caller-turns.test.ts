import { expect, test } from 'vitest'
import { CallerTurns } from './caller-turns.ts'

const heard = (utteranceId: string, text: string, stage: 'interim' | 'final' = 'interim') => ({
  utteranceId,
  text,
  stage,
  endOfTurn: null,
  words: stage === 'final' ? text.split(' ').map((word, index) => ({ text: word, startMs: index, endMs: index })) : [],
})

test('a turn has the words of its utterances, and begins with its first voice', () => {
  const turns = new CallerTurns()
  turns.voiceStarted(100)
  turns.voiceStarted(900)
  expect(turns.heard(heard('a', 'A table', 'final'), 1_000)).toBe('A table')
  expect(turns.heard(heard('b', 'for two', 'final'), 2_000)).toBe('A table for two')
  expect(turns.take()).toMatchObject({ startMs: 100, finalTextAtMs: 2_000 })
  expect(turns.text).toBe('')
})

test('what comes late of a turn that was taken is not of the next one', () => {
  const turns = new CallerTurns()
  turns.heard(heard('a', 'I see'), 1_000)
  turns.take()
  expect(turns.heard(heard('a', 'I see.', 'final'), 1_200)).toBe('')
  expect(turns.heard(heard('a', 'I see. But when?', 'final'), 1_300)).toBe('But when?')
  expect(turns.take().words.map(({ text }) => text)).toEqual(['But', 'when?'])
  expect(turns.heard(heard('b', 'I see. Good'), 1_400)).toBe('I see. Good')
})
