import { getHeardPrefix } from '@parley/engine/audio/word-timing'
import type { SpeechRequest } from '@parley/engine/voice/ports'
import { findHandover } from '@parley/engine/voice/session/voice-handover'
import { describe, expect, test } from 'vitest'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { setUpCartesia } from './cartesia-test-kit.ts'

describe('a request', () => {
  test('is one complete context with its own voice, rate and language', async () => {
    await using setup = await setUpCartesia()
    const result = await setup.speak('Hello there friend', { voice: 'a0e99841-438c-4a64-b679-ae501e7d6091' })
    expect(result.outcome).toBe('end')
    expect(result.samples).toEqual(synthesizeTones('Hello there friend', 16_000))
    expect(setup.synthesizer.name).toBe('cartesia/sonic-3')
    expect(setup.server.requests.map(({ fields }) => fields)).toEqual([
      {
        context_id: expect.stringMatching(/^[a-z0-9]+-1$/),
        model_id: 'sonic-3',
        transcript: 'Hello there friend',
        voice: { id: 'a0e99841-438c-4a64-b679-ae501e7d6091' },
        output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 16_000 },
        language: 'en',
        continue: false,
        max_buffer_delay_ms: 0,
        add_timestamps: true,
      },
    ])
  })

  test('contains speed, emotion and model only if they are set, within the bounds of the API', async () => {
    await using setup = await setUpCartesia()
    const requests: Partial<SpeechRequest>[] = [
      { speed: 2, emotion: 'fearful' },
      { speed: 0.5, model: 'sonic-3.5' },
      { speed: 1.2, emotion: 'calm', language: '' },
      { language: 'multi' },
    ]
    for (const overrides of requests) expect((await setup.speak('Hi', overrides)).outcome).toBe('end')
    const fields = setup.server.requests.map((request) => request.fields)
    expect(fields).toMatchObject([
      { generation_config: { speed: 1.5, emotion: 'scared' }, model_id: 'sonic-3' },
      { generation_config: { speed: 0.6 }, model_id: 'sonic-3.5' },
      { generation_config: { speed: 1.2, emotion: 'calm' } },
      {},
    ])
    expect(fields.map(({ language }) => language)).toEqual(['en', 'en', undefined, undefined])
    expect(fields[1]?.generation_config).not.toHaveProperty('emotion')
  })

  test('returns the same samples at the rate of a phone, for chunks that end within a sample', async () => {
    await using setup = await setUpCartesia()
    setup.server.script({ kind: 'normal', chunkBytes: 977 })
    const result = await setup.speak('One two', { rateHz: 8_000 })
    expect(result.samples).toEqual(synthesizeTones('One two', 8_000))
  })
})

describe('word times', () => {
  test('count from the start of each context', async () => {
    await using setup = await setUpCartesia()
    await setup.speak('First reply')
    const { words } = await setup.speak('Second reply')
    expect(words).toEqual([
      { text: 'Second', startMs: 0, endMs: 250 },
      { text: 'reply', startMs: 350, endMs: 600 },
    ])
  })

  test.each([
    ['zh-CN', '你好，我是小王。', 3, '你好，我'],
    ['ja-JP', 'はい、わかりました。', 2, 'はい'],
  ])('of %s count characters, which are joined without spaces', async (language, text, count, heard) => {
    await using setup = await setUpCartesia()
    const { words } = await setup.speak(text, { language })
    expect(words[0]).toEqual({ text: text.slice(0, 1), startMs: 0, endMs: 250 })
    expect(getHeardPrefix(text, words, count)).toMatch(new RegExp(`^${heard}[、，]?$`))
  })

  test('show where a fallback voice continues after a cut within a word, also without spaces', async () => {
    await using setup = await setUpCartesia()
    // 1.1 words: 12,320 bytes of audio, of which 4 chunks arrive.
    setup.server.script({ kind: 'cut', afterChunks: 4 }, { kind: 'cut', afterChunks: 4 })
    for (const [text, language, remaining] of [
      ['Alpha, bravo charlie.', 'en', 'bravo charlie.'],
      ['你好，我是小王。', 'zh', '好，我是小王。'],
    ] as const) {
      const { samples, words, outcome } = await setup.speak(text, { language })
      expect(outcome).toMatchObject({ kind: 'unavailable', retryable: true })
      expect(samples).toHaveLength(6_400)
      const speech = { synthesizedMs: 400, sentMs: 400, words, speed: 1 }
      expect(findHandover(text, speech).remainingText).toBe(remaining)
    }
  })

  test('that are malformed are omitted', async () => {
    await using setup = await setUpCartesia()
    const malformed = {
      words: ['a', 7, 'b', 'c', '', 'd'],
      start: [0.1, 0.2, 'x', 0.4, 0.5, -0.1],
      end: [0.2, 0.3, 0.4, 0.1, 0.6, 0.7],
    }
    setup.server.script(
      { kind: 'message', fields: { type: 'timestamps', word_timestamps: malformed } },
      { kind: 'message', fields: { type: 'timestamps', word_timestamps: 'none' } },
    )
    expect((await setup.speak('Hi')).words).toEqual([
      { text: 'a', startMs: 100, endMs: 200 },
      { text: 'Hi', startMs: 0, endMs: 250 },
    ])
    expect((await setup.speak('Hi')).words).toHaveLength(1)
  })
})
