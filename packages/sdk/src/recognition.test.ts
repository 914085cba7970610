import { createManualClock } from '@parley/engine/testing/manual-clock'
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

function createScene() {
  const manual = createManualClock()
  const made: FakeRecognizer[] = []
  const emitted: string[] = []
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
    onText: (utteranceId, text, stage) => emitted.push(`${utteranceId} ${stage} ${text}`),
    onUnavailable: (reason) => unavailable.push(reason),
  })
  return { manual, made, emitted, unavailable, recognition, last: () => made.at(-1) as FakeRecognizer }
}

describe('transcripts', () => {
  test('become stable and final, utterance by utterance', () => {
    const { emitted, last } = createScene()
    expect(last()).toMatchObject({ lang: 'de-DE', continuous: true, interimResults: true, isStarted: true })
    last().recognize(['I want', false])
    last().recognize(['I want to', false, 0.9])
    last().recognize(['I want to', false, 0.9], [' move', false])
    last().recognize(['I want to', false], [' move', false])
    last().recognize(['I want to move it', true, 0.9])
    last().recognize(['I want to move it', true, 0.9], [' to Monday', false])
    last().recognize(['I want to move it', true, 0.9], [' to Monday', true])
    expect(emitted).toEqual([
      'u0 interim I want',
      'u0 stable I want to',
      'u0 interim I want to move',
      'u0 stable I want to move',
      'u0 final I want to move it',
      'u1 interim to Monday',
      'u1 final to Monday',
    ])
  })

  test('end with an empty final text only after an interim text', () => {
    const { emitted, last } = createScene()
    last().recognize([' ', true])
    last().recognize([' ', true], ['uh', false])
    last().recognize([' ', true], ['', true])
    expect(emitted).toEqual(['u0 interim uh', 'u0 final '])
  })
})

describe('a recognizer that ends', () => {
  test('is restarted, and its interim text becomes final', async () => {
    const { manual, made, emitted, last } = createScene()
    await manual.advance(30_000)
    last().recognize(['hello', false])
    last().onend?.()
    expect(emitted.at(-1)).toBe('u0 final hello')
    await manual.advance(0)
    expect(made).toHaveLength(2)
    last().recognize(['again', true])
    expect(emitted.at(-1)).toBe('u1 final again')
  })

  test('is restarted with increasing delays', async () => {
    const { manual, made, last } = createScene()
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

  test.each(['not-allowed', 'service-not-allowed', 'language-not-supported'])(
    'permanently (%s) is reported as unavailable',
    (error) => {
      const { manual, last, unavailable } = createScene()
      last().onerror?.({ error })
      last().onend?.()
      expect(unavailable).toEqual([error])
      expect(manual.pendingTimers()).toBe(0)
    },
  )

  test('with network errors is reported as unavailable after some attempts', async () => {
    const { manual, made, last, unavailable } = createScene()
    for (let round = 0; round < 3; round += 1) {
      last().onerror?.({ error: 'network' })
      last().onend?.()
      await manual.advance(5_000)
    }
    expect(unavailable).toEqual(['network'])
    expect(made).toHaveLength(3)
  })
})

test('stop releases everything', async () => {
  const { manual, made, recognition, last } = createScene()
  last().onend?.()
  recognition.stop()
  await manual.advance(60_000)
  expect(made).toHaveLength(1)
  expect(manual.pendingTimers()).toBe(0)
})

test('restart finalizes the text and opens another recognizer', () => {
  const { made, emitted, recognition, last } = createScene()
  last().recognize(['half a', false])
  recognition.restart()
  expect(made).toHaveLength(2)
  expect(made[0]?.isAborted).toBe(true)
  expect(emitted.at(-1)).toBe('u0 final half a')
})
