import { expect, test } from 'vitest'
import type { CallerEvent } from './scenario.ts'
import { planRecognition } from './streaming-recognizer.ts'

const EVENT: CallerEvent = {
  samples: new Int16Array(0),
  spans: [[0, 900]],
  utterances: [
    {
      words: [
        { text: 'are', startMs: 0, endMs: 300 },
        { text: 'you', startMs: 300, endMs: 600 },
        { text: 'open?', startMs: 600, endMs: 900 },
      ],
      endMs: 900,
    },
  ],
}

test('words appear one after the other, and punctuation with the final text', () => {
  expect(planRecognition(EVENT, () => 0.1)).toEqual([
    { atMs: 560, utterance: 0, text: 'are', stage: 'interim' },
    { atMs: 860, utterance: 0, text: 'are you', stage: 'interim' },
    { atMs: 1_160, utterance: 0, text: 'are you open', stage: 'interim' },
    { atMs: 1_200, utterance: 0, text: 'are you open?', stage: 'final' },
  ])
})

test('no interim text follows the final text', () => {
  expect(planRecognition(EVENT, () => 1).map(({ atMs }) => atMs)).toEqual([650, 950, 1_200, 1_200])
})
