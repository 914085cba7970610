import { manualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { BrowserRecognition, type SpeechRecognizer } from './recognition.ts'

type Chunk = readonly [text: string, isFinal: boolean, confidence?: number]

class FakeRecognizer implements SpeechRecognizer {
  lang = ''
  continuous = false
  interimResults = false
  maxAlternatives = 0
  onresult: SpeechRecognizer['onresult'] = null
  onerror: SpeechRecognizer['onerror'] = null
  onend: SpeechRecognizer['onend'] = null
  isStarted = false
  isAborted = false

  start(): void {
    this.isStarted = true
  }

  abort(): void {
    this.isAborted = true
  }

  recognize(...chunks: Chunk[]): void {
    const results = chunks.map(([transcript, isFinal, confidence = 0.01]) => ({
      isFinal,
      length: 1,
      0: { transcript, confidence },
    }))
    this.onresult?.({ resultIndex: 0, results })
  }
}

function scene() {
  const manual = manualClock()
  const made: FakeRecognizer[] = []
  const told: string[] = []
  const unavailable: string[] = []
  const recognition = new BrowserRecognition({
    make: () => {
      const recognizer = new FakeRecognizer()
      made.push(recognizer)
      return recognizer
    },
    clock: manual.clock,
    language: 'de-DE',
    idPrefix: 'u',
    track: () => null,
    onText: (utteranceId, text, stage) => told.push(`${utteranceId} ${stage} ${text}`),
    onUnavailable: (reason) => unavailable.push(reason),
  })
  return { manual, made, told, unavailable, recognition, last: () => made.at(-1) as FakeRecognizer }
}

describe('what is understood', () => {
  test('is told as it settles, utterance after utterance', () => {
    const { told, last } = scene()
    expect(last()).toMatchObject({ lang: 'de-DE', continuous: true, interimResults: true, isStarted: true })
    last().recognize(['I want', false])
    last().recognize(['I want to', false, 0.9])
    last().recognize(['I want to', false, 0.9], [' move', false])
    last().recognize(['I want to', false], [' move', false])
    last().recognize(['I want to move it', true, 0.9])
    last().recognize(['I want to move it', true, 0.9], [' to Monday', false])
    last().recognize(['I want to move it', true, 0.9], [' to Monday', true])
    expect(told).toEqual([
      'u0 interim I want',
      'u0 stable I want to',
      'u0 interim I want to move',
      'u0 stable I want to move',
      'u0 final I want to move it',
      'u1 interim to Monday',
      'u1 final to Monday',
    ])
  })

  test('a final text of nothing is told when there was something before', () => {
    const { told, last } = scene()
    last().recognize([' ', true])
    last().recognize([' ', true], ['uh', false])
    last().recognize([' ', true], ['', true])
    expect(told).toEqual(['u0 interim uh', 'u0 final '])
  })
})

describe('a recogniser that ends', () => {
  test('is followed by another, and what it left is final', async () => {
    const { manual, made, told, last } = scene()
    await manual.advance(30_000)
    last().recognize(['hello', false])
    last().onend?.()
    expect(told.at(-1)).toBe('u0 final hello')
    await manual.advance(0)
    expect(made).toHaveLength(2)
    last().recognize(['again', true])
    expect(told.at(-1)).toBe('u1 final again')
  })

  test('at once again and again is tried less and less often', async () => {
    const { manual, made, last } = scene()
    const pauses: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const count = made.length
      last().onerror?.({ error: 'no-speech' })
      last().onend?.()
      let backoffMs = 0
      for (; made.length === count; backoffMs += 50) await manual.advance(50)
      pauses.push(backoffMs)
    }
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
  })

  test.each(['not-allowed', 'service-not-allowed', 'language-not-supported'])('for good (%s) is told', (error) => {
    const { manual, last, unavailable } = scene()
    last().onerror?.({ error })
    last().onend?.()
    expect(unavailable).toEqual([error])
    expect(manual.pendingTimers()).toBe(0)
  })

  test('since its service is not there is told after some attempts', async () => {
    const { manual, made, last, unavailable } = scene()
    for (let round = 0; round < 3; round += 1) {
      last().onerror?.({ error: 'network' })
      last().onend?.()
      await manual.advance(5_000)
    }
    expect(unavailable).toEqual(['network'])
    expect(made).toHaveLength(3)
  })
})

test('stops and leaves nothing behind', async () => {
  const { manual, made, recognition, last } = scene()
  last().onend?.()
  recognition.stop()
  await manual.advance(60_000)
  expect(made).toHaveLength(1)
  expect(manual.pendingTimers()).toBe(0)
})

test('begins anew with another microphone', () => {
  const { made, told, recognition, last } = scene()
  last().recognize(['half a', false])
  recognition.restart()
  expect(made).toHaveLength(2)
  expect(made[0]?.isAborted).toBe(true)
  expect(told.at(-1)).toBe('u0 final half a')
})
