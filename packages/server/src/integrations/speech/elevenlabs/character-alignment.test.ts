import { findHandover } from '@parley/engine/voice/session/voice-handover'
import { describe, expect, test } from 'vitest'
import { readAlignment, type TimedCharacter, WordTimer } from './character-alignment.ts'

/** Returns characters of 10 ms each. */
function spell(text: string): TimedCharacter[] {
  return [...text].map((character, index) => ({ text: character, startMs: index * 10, endMs: index * 10 + 10 }))
}

describe('an alignment', () => {
  const times = { charStartTimesMs: [0, 10, 20], charDurationsMs: [10, 10, 10] }
  const expected = [
    { text: 'a', startMs: 0, endMs: 10 },
    { text: 'b', startMs: 10, endMs: 20 },
    { text: 'c', startMs: 20, endMs: 30 },
  ]

  test.each([
    ['as documented', { alignment: { chars: ['a', 'b', 'c'], ...times } }],
    [
      'with the other spelling of durations',
      { alignment: { chars: ['a', 'b', 'c'], charStartTimesMs: [0, 10, 20], charsDurationsMs: [10, 10, 10] } },
    ],
    [
      'in snake case',
      { alignment: { chars: ['a', 'b', 'c'], char_start_times_ms: [0, 10, 20], char_durations_ms: [10, 10, 10] } },
    ],
    [
      'of several characters',
      { alignment: { chars: ['ab', 'c'], charStartTimesMs: [0, 20], charDurationsMs: [20, 10] } },
    ],
    ['of the normalized text only', { alignment: null, normalizedAlignment: { chars: ['a', 'b', 'c'], ...times } }],
    [
      'of both texts',
      { alignment: { chars: ['a', 'b', 'c'], ...times }, normalizedAlignment: { chars: ['x', 'y', 'z'], ...times } },
    ],
  ])('%s is read', (_name, message) => {
    expect(readAlignment(message)).toEqual(expected)
  })

  test.each([
    ['absent', {}],
    ['not an object', { alignment: 'abc' }],
    ['without times', { alignment: { chars: ['a'] } }],
    ['with invalid times', { alignment: { chars: ['a'], charStartTimesMs: ['0'], charDurationsMs: [-1] } }],
    ['of other values', { alignment: { chars: [1], charStartTimesMs: [0], charDurationsMs: [1] } }],
  ])('that is %s is ignored', (_name, message) => {
    expect(readAlignment(message)).toEqual([])
  })

  test('is cut off at an unreasonable length', () => {
    const message = { alignment: { chars: ['a'.repeat(1_000_000)], charStartTimesMs: [0], charDurationsMs: [1] } }
    expect(readAlignment(message).length).toBeLessThanOrEqual(20_001)
  })
})

describe('words', () => {
  test('are timed from the first sample, across chunks', () => {
    const timer = new WordTimer('Hello, my friend.')
    expect(timer.push(spell('Hello, m'), 0)).toEqual([{ text: 'Hello,', startMs: 0, endMs: 60 }])
    expect(timer.push(spell('y friend. '), 80)).toEqual([
      { text: 'my', startMs: 70, endMs: 90 },
      { text: 'friend.', startMs: 100, endMs: 170 },
    ])
    expect(timer.finish(400)).toEqual([])
  })

  test.each([
    ['in another case', 'Call me', 'CALL ME ', ['Call', 'me']],
    ['without punctuation', '“Hi,” she said.', 'Hi she said ', ['“Hi,”', 'she', 'said.']],
    ['as other words', 'at 3 pm', 'at three pm ', ['at', '3', 'pm']],
    ['with a dash', 'Well — yes', 'Well — yes ', ['Well', 'yes']],
    ['in a script without spaces', '你好', '你好', ['你', '好']],
    ['with repeated spaces', 'a  b', ' a  b ', ['a', 'b']],
  ])('are found if spoken %s', (_name, text, spoken, words) => {
    const timer = new WordTimer(text)
    expect([...timer.push(spell(spoken), 0), ...timer.finish(1_000)].map((word) => word.text)).toEqual(words)
  })

  test('that were not aligned share the rest of the audio', () => {
    const timer = new WordTimer('one two three')
    timer.push(spell('one '), 0)
    expect(timer.finish(230)).toEqual([
      { text: 'two', startMs: 30, endMs: 130 },
      { text: 'three', startMs: 130, endMs: 230 },
    ])
    expect(new WordTimer('one two').finish(500)).toEqual([])
  })

  test.each([
    ['at least half', 'one thr', 'four'],
    ['less than half', 'one t', 'three four'],
  ])('of which %s was spoken are continued by another voice at the right word', (_name, spoken, remaining) => {
    const text = 'one three four'
    const timer = new WordTimer(text)
    const audioMs = spoken.length * 10
    const words = [...timer.push(spell(spoken), 0), ...timer.interrupt()]
    const speech = { synthesizedMs: audioMs, sentMs: audioMs, words, speed: 1 }
    expect(findHandover(text, speech).remainingText).toBe(remaining)
  })
})
