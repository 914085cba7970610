import { afterAll, describe, expect, test } from 'vitest'
import { measureIntegratedLoudness } from '../../../../../../testing/integrated-loudness.ts'
import { findBestMatch, measureEnvelope } from '../../../../../../testing/speech-server/envelope.ts'
import { createTestClock } from '../../models/model-test-kit.ts'
import { buildSpeechRequest, collectSpeech, failOnError } from '../speech-test-kit.ts'
import { FLITE_VOICES } from './flite-protocol.ts'
import { createFliteSynthesizer } from './flite-synthesizer.ts'

const clock = createTestClock()
const flite = createFliteSynthesizer({ clock, logError: failOnError, threads: 1 })
afterAll(() => flite.close())

const measureLoudness = (samples: Int16Array, rateHz: number, fromMs: number, toMs: number): number => {
  const envelope = measureEnvelope({ samples, rateHz }).subarray(Math.floor(fromMs / 10), Math.ceil(toMs / 10))
  return envelope.reduce((sum, value) => sum + value, 0) / Math.max(1, envelope.length)
}

describe('every voice', () => {
  test.each(FLITE_VOICES)('%s speaks at both rates with words that cover the audio in order', async (voice) => {
    const text = 'Hello there, your order number 42 costs $25.50 and arrives tomorrow.'
    const wideband = await collectSpeech(flite.synthesize(buildSpeechRequest(text, { voice })))
    expect(wideband.outcome).toBe('end')
    expect(wideband.words.map((word) => word.text)).toEqual(text.split(' '))
    const lengthMs = wideband.samples.length / 16
    expect(wideband.words.every(({ startMs, endMs }) => startMs < endMs)).toBe(true)
    expect(wideband.words.every(({ startMs }, index) => startMs >= (wideband.words[index - 1]?.endMs ?? 0))).toBe(true)
    expect(wideband.words[0]?.startMs).toBeLessThan(60)
    expect(Math.abs(lengthMs - (wideband.words.at(-1)?.endMs ?? 0))).toBeLessThan(200)
    // The pause after the comma is between two words.
    const [, there, your] = wideband.words
    const pauseLoudness = measureLoudness(wideband.samples, 16_000, (there?.endMs ?? 0) + 30, (your?.startMs ?? 0) - 30)
    expect(pauseLoudness).toBeLessThan(
      measureLoudness(wideband.samples, 16_000, there?.startMs ?? 0, there?.endMs ?? 0) / 5,
    )

    const narrowband = await collectSpeech(flite.synthesize(buildSpeechRequest(text, { voice, rateHz: 8_000 })))
    expect(narrowband.samples.length / 8).toBeGreaterThan(lengthMs * 0.96)
    expect(narrowband.samples.length / 8).toBeLessThan(lengthMs * 1.04)
    const { correlation } = findBestMatch(
      measureEnvelope({ samples: wideband.samples, rateHz: 16_000 }),
      measureEnvelope({ samples: narrowband.samples, rateHz: 8_000 }),
      200,
    )
    // The voice kal uses another variant at 8 kHz with different timing.
    expect(correlation).toBeGreaterThan(voice === 'kal' ? 0.5 : 0.9)
  })
})

/** Sentences of an agent, long enough for a stable measurement. */
const SENTENCES = [
  'Thank you for calling. How can I help you today?',
  'Let me check that for you, one moment please.',
  'The next free appointment is on Monday at half past nine. Does that suit you?',
  'Please tell me your name and your phone number, and somebody will call you back.',
]

describe.each([16_000, 8_000] as const)('at %d Hz', (rateHz) => {
  test.each(FLITE_VOICES)('%s is as loud as the other voices, and its peaks do not clip', async (voice) => {
    const parts: Int16Array[] = []
    for (const text of SENTENCES) {
      parts.push((await collectSpeech(flite.synthesize(buildSpeechRequest(text, { voice, rateHz })))).samples)
    }
    const samples = Int16Array.from(parts.flatMap((part) => [...part]))
    const loudness = measureIntegratedLoudness({ samples, rateHz })
    expect(loudness).toBeGreaterThan(-21)
    expect(loudness).toBeLessThan(-19)
    expect(samples.every((sample) => Math.abs(sample) < 32_767)).toBe(true)
  })
})

test('measures loudness like BS.1770: a full-scale sine of 997 Hz in one channel is −3.01 LUFS', () => {
  for (const rateHz of [48_000, 16_000]) {
    const samples = Int16Array.from(
      { length: rateHz * 2 },
      (_, index) => 32_767 * Math.sin((2 * Math.PI * 997 * index) / rateHz),
    )
    expect(measureIntegratedLoudness({ samples, rateHz })).toBeCloseTo(-3.01, 1)
  }
})

test('starts without the leading silence of the voices', async () => {
  const { samples } = await collectSpeech(flite.synthesize(buildSpeechRequest('Sure, let me check.')))
  expect(measureLoudness(samples, 16_000, 0, 200)).toBeGreaterThan(300)
})

test('takes half the time at a speed of 2', async () => {
  const countSamples = async (speed: number) =>
    (await collectSpeech(flite.synthesize(buildSpeechRequest('One two three four.', { speed })))).samples.length
  expect((await countSamples(2)) / (await countSamples(1))).toBeLessThan(0.65)
  expect((await countSamples(0.5)) / (await countSamples(1))).toBeGreaterThan(1.6)
})

test('synthesizes a long text in parts with continuous word times', async () => {
  const text = 'The quick brown fox jumps over the lazy dog, and then it goes home. '.repeat(6).trim()
  const result = await collectSpeech(flite.synthesize(buildSpeechRequest(text)))
  expect(result.events.filter(({ type }) => type === 'audio').length).toBeGreaterThan(2)
  expect(result.words).toHaveLength(text.split(' ').length)
  expect(result.words.every(({ startMs }, index) => startMs >= (result.words[index - 1]?.endMs ?? 0))).toBe(true)
  expect(Math.abs(result.samples.length / 16 - (result.words.at(-1)?.endMs ?? 0))).toBeLessThan(200)
})

test.each(['', '   ', '…', '你好', 'x'.repeat(900), '-o /etc/passwd', 'a\0b', '<speak>hi</speak>'])(
  'speaks any input: %j',
  async (text) => {
    expect((await collectSpeech(flite.synthesize(buildSpeechRequest(text)))).outcome).toBe('end')
  },
)

test('ends the stream without an event on abort and speaks the next text', async () => {
  const abortController = new AbortController()
  const stream = flite.synthesize(buildSpeechRequest('Some words. '.repeat(60), { signal: abortController.signal }))
  const result = collectSpeech(stream)
  abortController.abort()
  expect((await result).outcome).toBeNull()
  expect((await collectSpeech(flite.synthesize(buildSpeechRequest('Next.')))).outcome).toBe('end')
  const abortedResult = await collectSpeech(
    flite.synthesize(buildSpeechRequest('Never.', { signal: abortController.signal })),
  )
  expect(abortedResult.events).toEqual([])
})

test('reports its languages', () => {
  expect(['en', 'en-GB', 'EN-us', 'de-DE', 'multi', 'eng'].map((tag) => flite.supports(tag))).toEqual([
    ...[true, true, true],
    ...[false, false, false],
  ])
})

describe('threads', () => {
  test('start with the first text, end when idle and leave no timer', async () => {
    const time = createTestClock()
    const synthesizer = createFliteSynthesizer({ clock: time, logError: failOnError, threads: 2, idleMs: 1_000 })
    expect(synthesizer.threadCount).toBe(0)
    await Promise.all(
      ['One.', 'Two.', 'Three.'].map((text) => collectSpeech(synthesizer.synthesize(buildSpeechRequest(text)))),
    )
    expect(synthesizer.threadCount).toBe(2)
    time.advance(1_000)
    await synthesizer.close()
    expect(synthesizer.threadCount).toBe(0)
    expect(time.pendingTimers).toBe(0)
  })

  test('can be started in advance', async () => {
    const synthesizer = createFliteSynthesizer({ clock: createTestClock(), logError: failOnError, threads: 2 })
    synthesizer.warmUp()
    synthesizer.warmUp()
    expect(synthesizer.threadCount).toBe(1)
    expect((await collectSpeech(synthesizer.synthesize(buildSpeechRequest('Hello.')))).outcome).toBe('end')
    expect(synthesizer.threadCount).toBe(1)
    await synthesizer.close()
    synthesizer.warmUp()
    expect(synthesizer.threadCount).toBe(0)
  })

  test('are replaced after a timeout', async () => {
    const time = createTestClock()
    const synthesizer = createFliteSynthesizer({ clock: time, logError: failOnError, threads: 1, deadlineMs: 5_000 })
    const result = collectSpeech(synthesizer.synthesize(buildSpeechRequest('Never heard.')))
    time.advance(5_000)
    expect((await result).outcome).toMatchObject({ kind: 'timeout', retryable: true })
    expect((await collectSpeech(synthesizer.synthesize(buildSpeechRequest('Heard.')))).outcome).toBe('end')
    await synthesizer.close()
    expect(time.pendingTimers).toBe(0)
  })

  test('reject texts when the queue is full or closed', async () => {
    const synthesizer = createFliteSynthesizer({
      clock: createTestClock(),
      logError: failOnError,
      threads: 1,
      maxQueued: 1,
    })
    const results = ['One.', 'Two.', 'Three.'].map((text) =>
      collectSpeech(synthesizer.synthesize(buildSpeechRequest(text))),
    )
    expect((await results[2])?.outcome).toMatchObject({ kind: 'unavailable', retryable: true })
    expect((await results[0])?.outcome).toBe('end')
    await synthesizer.close()
    const lateResult = await collectSpeech(synthesizer.synthesize(buildSpeechRequest('Late.')))
    expect(lateResult.outcome).toMatchObject({ kind: 'unavailable', retryable: false })
  })
})
