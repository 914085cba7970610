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

function setUp() {
  const manual = createManualClock()
  const recognizers: FakeRecognizer[] = []
  const texts: string[] = []
  const unavailable: string[] = []
  const recognition = new BrowserRecognition({
    createRecognizer: () => {
      const recognizer = new FakeRecognizer()
      recognizers.push(recognizer)
      return recognizer
    },
    clock: manual.clock,
    language: 'de-DE',
    idPrefix: 'u',
    track: () => null,
    onText: (utteranceId, text, stage) => texts.push(`${utteranceId} ${stage} ${text}`),
    onUnavailable: (reason) => unavailable.push(reason),
  })
  return {
    manual,
    recognizers,
    texts,
    unavailable,
    recognition,
    getRecognizer: () => recognizers.at(-1) as FakeRecognizer,
  }
}

describe('transcripts', () => {
  test('become stable and final, utterance by utterance', () => {
    const { texts, getRecognizer } = setUp()
    expect(getRecognizer()).toMatchObject({ lang: 'de-DE', continuous: true, interimResults: true, isStarted: true })
    getRecognizer().recognize(['I want', false])
    getRecognizer().recognize(['I want to', false, 0.9])
    getRecognizer().recognize(['I want to', false, 0.9], [' move', false])
    getRecognizer().recognize(['I want to', false], [' move', false])
    getRecognizer().recognize(['I want to move it', true, 0.9])
    getRecognizer().recognize(['I want to move it', true, 0.9], [' to Monday', false])
    getRecognizer().recognize(['I want to move it', true, 0.9], [' to Monday', true])
    expect(texts).toEqual([
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
    const { texts, getRecognizer } = setUp()
    getRecognizer().recognize([' ', true])
    getRecognizer().recognize([' ', true], ['uh', false])
    getRecognizer().recognize([' ', true], ['', true])
    expect(texts).toEqual(['u0 interim uh', 'u0 final '])
  })
})

describe('a recognizer that ends', () => {
  test('is restarted, and its interim text becomes final', async () => {
    const { manual, recognizers, texts, getRecognizer } = setUp()
    await manual.advance(30_000)
    getRecognizer().recognize(['hello', false])
    getRecognizer().onend?.()
    expect(texts.at(-1)).toBe('u0 final hello')
    await manual.advance(0)
    expect(recognizers).toHaveLength(2)
    getRecognizer().recognize(['again', true])
    expect(texts.at(-1)).toBe('u1 final again')
  })

  test('is restarted with increasing delays', async () => {
    const { manual, recognizers, getRecognizer } = setUp()
    const pauses: number[] = []
    for (let round = 0; round < 6; round += 1) {
      const count = recognizers.length
      getRecognizer().onerror?.({ error: 'no-speech' })
      getRecognizer().onend?.()
      let backoffMs = 0
      for (; recognizers.length === count; backoffMs += 50) await manual.advance(50)
      pauses.push(backoffMs)
    }
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 4_000])
  })

  test.each(['not-allowed', 'service-not-allowed', 'language-not-supported'])(
    'permanently (%s) is reported as unavailable',
    (error) => {
      const { manual, getRecognizer, unavailable } = setUp()
      getRecognizer().onerror?.({ error })
      getRecognizer().onend?.()
      expect(unavailable).toEqual([error])
      expect(manual.countPendingTimers()).toBe(0)
    },
  )

  test('with network errors is reported as unavailable after some attempts', async () => {
    const { manual, recognizers, getRecognizer, unavailable } = setUp()
    for (let round = 0; round < 3; round += 1) {
      getRecognizer().onerror?.({ error: 'network' })
      getRecognizer().onend?.()
      await manual.advance(5_000)
    }
    expect(unavailable).toEqual(['network'])
    expect(recognizers).toHaveLength(3)
  })
})

test('stop releases everything', async () => {
  const { manual, recognizers, recognition, getRecognizer } = setUp()
  getRecognizer().onend?.()
  recognition.stop()
  await manual.advance(60_000)
  expect(recognizers).toHaveLength(1)
  expect(manual.countPendingTimers()).toBe(0)
})

test('restart finalizes the text and opens another recognizer', () => {
  const { recognizers, texts, recognition, getRecognizer } = setUp()
  getRecognizer().recognize(['half a', false])
  recognition.restart()
  expect(recognizers).toHaveLength(2)
  expect(recognizers[0]?.isAborted).toBe(true)
  expect(texts.at(-1)).toBe('u0 final half a')
})
