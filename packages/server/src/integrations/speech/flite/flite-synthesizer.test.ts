import { afterAll, describe, expect, test } from 'vitest'
import { findBestMatch, measureEnvelope } from '../../../../../../testing/speech-server/envelope.ts'
import { createTestClock } from '../../models/model-test-kit.ts'
import { buildSpeechRequest, failOnError, listenTo } from '../speech-test-kit.ts'
import { FLITE_VOICES } from './flite-protocol.ts'
import { createFliteSynthesizer } from './flite-synthesizer.ts'

const clock = createTestClock()
const flite = createFliteSynthesizer({ clock, logError: failOnError, threads: 1 })
afterAll(() => flite.close())

const loudness = (samples: Int16Array, rateHz: number, fromMs: number, toMs: number): number => {
  const envelope = measureEnvelope({ samples, rateHz }).subarray(Math.floor(fromMs / 10), Math.ceil(toMs / 10))
  return envelope.reduce((sum, value) => sum + value, 0) / Math.max(1, envelope.length)
}

describe('every voice', () => {
  test.each(FLITE_VOICES)(
    '%s speaks at both rates, in time, with words that cover the sound in order',
    async (voice) => {
      const text = 'Hello there, your order number 42 costs $25.50 and arrives tomorrow.'
      const wide = await listenTo(flite.synthesize(buildSpeechRequest(text, { voice })))
      expect(wide.last).toBe('end')
      expect(wide.words.map((word) => word.text)).toEqual(text.split(' '))
      const lengthMs = wide.samples.length / 16
      expect(wide.words.every(({ startMs, endMs }) => startMs < endMs)).toBe(true)
      expect(wide.words.every(({ startMs }, index) => startMs >= (wide.words[index - 1]?.endMs ?? 0))).toBe(true)
      expect(wide.words[0]?.startMs).toBeLessThan(60)
      expect(Math.abs(lengthMs - (wide.words.at(-1)?.endMs ?? 0))).toBeLessThan(200)
      // The pause behind the comma is where the words say that nobody speaks.
      const [, there, your] = wide.words
      const pause = loudness(wide.samples, 16_000, (there?.endMs ?? 0) + 30, (your?.startMs ?? 0) - 30)
      expect(pause).toBeLessThan(loudness(wide.samples, 16_000, there?.startMs ?? 0, there?.endMs ?? 0) / 5)

      const narrow = await listenTo(flite.synthesize(buildSpeechRequest(text, { voice, rateHz: 8_000 })))
      expect(narrow.samples.length / 8).toBeGreaterThan(lengthMs * 0.96)
      expect(narrow.samples.length / 8).toBeLessThan(lengthMs * 1.04)
      const { correlation } = findBestMatch(
        measureEnvelope({ samples: wide.samples, rateHz: 16_000 }),
        measureEnvelope({ samples: narrow.samples, rateHz: 8_000 }),
        200,
      )
      // One voice has a sibling for phones, which takes its own time.
      expect(correlation).toBeGreaterThan(voice === 'kal' ? 0.5 : 0.9)
    },
  )
})

test('sound begins at once, without the silence that the voices leave before a text', async () => {
  const { samples } = await listenTo(flite.synthesize(buildSpeechRequest('Sure, let me check.')))
  expect(loudness(samples, 16_000, 0, 200)).toBeGreaterThan(300)
})

test('a speed of 2 takes half the time', async () => {
  const at = async (speed: number) =>
    (await listenTo(flite.synthesize(buildSpeechRequest('One two three four.', { speed })))).samples.length
  expect((await at(2)) / (await at(1))).toBeLessThan(0.65)
  expect((await at(0.5)) / (await at(1))).toBeGreaterThan(1.6)
})

test('a long text comes in parts whose words go on counting', async () => {
  const text = 'The quick brown fox jumps over the lazy dog, and then it goes home. '.repeat(6).trim()
  const spoken = await listenTo(flite.synthesize(buildSpeechRequest(text)))
  expect(spoken.events.filter(({ type }) => type === 'audio').length).toBeGreaterThan(2)
  expect(spoken.words).toHaveLength(text.split(' ').length)
  expect(spoken.words.every(({ startMs }, index) => startMs >= (spoken.words[index - 1]?.endMs ?? 0))).toBe(true)
  expect(Math.abs(spoken.samples.length / 16 - (spoken.words.at(-1)?.endMs ?? 0))).toBeLessThan(200)
})

test.each(['', '   ', '…', '你好', 'x'.repeat(900), '-o /etc/passwd', 'a\0b', '<speak>hi</speak>'])(
  'nothing breaks it: %j',
  async (text) => {
    expect((await listenTo(flite.synthesize(buildSpeechRequest(text)))).last).toBe('end')
  },
)

test('an abort ends the stream without an event, and the next text is spoken', async () => {
  const abort = new AbortController()
  const stream = flite.synthesize(buildSpeechRequest('Some words. '.repeat(60), { signal: abort.signal }))
  const spoken = listenTo(stream)
  abort.abort()
  expect((await spoken).last).toBeNull()
  expect((await listenTo(flite.synthesize(buildSpeechRequest('Next.')))).last).toBe('end')
  const aborted = await listenTo(flite.synthesize(buildSpeechRequest('Never.', { signal: abort.signal })))
  expect(aborted.events).toEqual([])
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
    const own = createFliteSynthesizer({ clock: time, logError: failOnError, threads: 2, idleMs: 1_000 })
    expect(own.threadCount).toBe(0)
    await Promise.all(['One.', 'Two.', 'Three.'].map((text) => listenTo(own.synthesize(buildSpeechRequest(text)))))
    expect(own.threadCount).toBe(2)
    time.advance(1_000)
    await own.close()
    expect(own.threadCount).toBe(0)
    expect(time.pendingTimers).toBe(0)
  })

  test('can be started ahead, once', async () => {
    const own = createFliteSynthesizer({ clock: createTestClock(), logError: failOnError, threads: 2 })
    own.warm()
    own.warm()
    expect(own.threadCount).toBe(1)
    expect((await listenTo(own.synthesize(buildSpeechRequest('Hello.')))).last).toBe('end')
    expect(own.threadCount).toBe(1)
    await own.close()
    own.warm()
    expect(own.threadCount).toBe(0)
  })

  test('reports a timeout and replaces the hanging thread', async () => {
    const time = createTestClock()
    const own = createFliteSynthesizer({ clock: time, logError: failOnError, threads: 1, deadlineMs: 5_000 })
    const spoken = listenTo(own.synthesize(buildSpeechRequest('Never heard.')))
    time.advance(5_000)
    expect((await spoken).last).toMatchObject({ kind: 'timeout', retryable: true })
    expect((await listenTo(own.synthesize(buildSpeechRequest('Heard.')))).last).toBe('end')
    await own.close()
    expect(time.pendingTimers).toBe(0)
  })

  test('a line that is full refuses, a closed one as well', async () => {
    const own = createFliteSynthesizer({ clock: createTestClock(), logError: failOnError, threads: 1, maxQueued: 1 })
    const all = ['One.', 'Two.', 'Three.'].map((text) => listenTo(own.synthesize(buildSpeechRequest(text))))
    expect((await all[2])?.last).toMatchObject({ kind: 'unavailable', retryable: true })
    expect((await all[0])?.last).toBe('end')
    await own.close()
    const late = await listenTo(own.synthesize(buildSpeechRequest('Late.')))
    expect(late.last).toMatchObject({ kind: 'unavailable', retryable: false })
  })
})
