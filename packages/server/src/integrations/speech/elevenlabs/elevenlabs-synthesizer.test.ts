import type { SpeechEvent } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import type { WireStyle } from '../../../../../../testing/elevenlabs-server/speech-protocol.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { buildSpeechRequest, collectSpeech } from '../speech-test-kit.ts'
import { createElevenLabsSynthesizer } from './elevenlabs-synthesizer.ts'
import { setUpVoice } from './elevenlabs-test-kit.ts'

const TEXT = 'Hello there friend'
/** Words of `TEXT` in the server's voice. */
const WORDS = [
  { text: 'Hello', startMs: 0, endMs: 250 },
  { text: 'there', startMs: 350, endMs: 600 },
  { text: 'friend', startMs: 700, endMs: 950 },
]

describe('speech', () => {
  test.each([8_000, 16_000] as const)('has exact samples and words at %d Hz', async (rateHz) => {
    await using setup = await setUpVoice()
    const result = await setup.speak(TEXT, { rateHz })
    expect(result.outcome).toBe('end')
    expect(result.samples).toEqual(synthesizeTones(TEXT, rateHz))
    expect(result.words).toEqual(
      WORDS.map((word) => ({ ...word, startMs: expect.closeTo(word.startMs), endMs: expect.closeTo(word.endMs) })),
    )
  })

  test.each<[string, WireStyle]>([
    ['in snake case', { naming: 'snake' }],
    ['in chunks that end within words', { chunkMs: 70 }],
    ['with the other spelling of durations', { durationsField: 'charsDurationsMs' }],
    ['with items of several characters', { itemCharacters: 2, chunkMs: 2_000 }],
    ['with normalized alignments only', { alignment: 'normalized' }],
  ])('is understood %s', async (_name, style) => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech({ kind: 'speak', ...style })
    const result = await setup.speak(TEXT)
    expect(result.samples).toEqual(synthesizeTones(TEXT, 16_000))
    expect(result.words.map(({ text }) => text)).toEqual(['Hello', 'there', 'friend'])
    for (const [index, { startMs }] of result.words.entries())
      expect(Math.abs(startMs - (WORDS[index]?.startMs ?? 0))).toBeLessThan(100)
  })

  test('has no words if there is no alignment, so that the engine estimates them', async () => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech({ kind: 'speak', alignment: 'none' })
    const result = await setup.speak(TEXT)
    expect([result.outcome, result.words]).toEqual(['end', []])
  })

  test('is not affected by messages without audio', async () => {
    await using setup = await setUpVoice()
    const audio = Buffer.from([1, 0]).toString('base64')
    const messages = [{ type: 'flush_done' }, { audio: null, isFinal: false }, { audio, isFinal: null }, { news: true }]
    setup.server.scriptSpeech({ kind: 'messages', messages: [...messages, { audio: null, isFinal: true }] })
    const { samples, outcome } = await setup.speak('Hi')
    expect([[...samples], outcome]).toEqual([[1], 'end'])
  })

  test('joins samples that are split between messages', async () => {
    await using setup = await setUpVoice()
    const messages = [Buffer.from([1, 0, 2]), Buffer.from([0, 3, 0])].map((bytes) => ({
      audio: bytes.toString('base64'),
    }))
    setup.server.scriptSpeech({ kind: 'messages', messages: [...messages, { isFinal: true }] })
    expect([...(await setup.speak('Hi')).samples]).toEqual([1, 2, 3])
  })

  test('ends at once for an empty text, without a connection', async () => {
    await using setup = await setUpVoice()
    expect((await setup.speak(' ')).outcome).toBe('end')
    expect(setup.server.connections).toEqual([])
  })
})

describe('a request', () => {
  test('names voice, model, format and language, and ends with a space, a flush and a close', async () => {
    await using setup = await setUpVoice()
    await setup.speak('Guten Tag', { voice: 'v1/x', language: 'de-DE', rateHz: 8_000 })
    const [connection] = setup.server.connections
    expect(connection?.path).toBe('/v1/text-to-speech/v1%2Fx/multi-stream-input')
    expect(connection?.headers['xi-api-key']).toBe('xi-0123456789abcdef')
    expect(Object.fromEntries(connection?.query ?? [])).toEqual({
      model_id: 'eleven_flash_v2_5',
      language_code: 'de',
      output_format: 'pcm_8000',
      auto_mode: 'true',
      sync_alignment: 'true',
      apply_text_normalization: 'off',
      inactivity_timeout: '180',
    })
    expect(connection?.messages).toEqual([
      { text: ' ', context_id: 'context-1' },
      { text: 'Guten Tag ', context_id: 'context-1', flush: true },
      { context_id: 'context-1', close_context: true },
    ])
    expect(setup.server.problems).toEqual([])
  })

  test.each([
    ['eleven_multilingual_v2', 'de-DE', null],
    ['eleven_turbo_v2_5', 'de-DE', 'de'],
    ['eleven_flash_v2_5', 'multi', null],
  ])('with model %s in %s has the language %s', async (model, language, code) => {
    await using setup = await setUpVoice()
    await setup.speak('Hi', { model, language })
    expect(setup.server.connections[0]?.query.get('model_id')).toBe(model)
    expect(setup.server.connections[0]?.query.get('language_code')).toBe(code)
  })

  test.each([
    [
      { speed: 3, temperature: 1 },
      { stability: 0.5, similarity_boost: 0.75, speed: 1.2 },
    ],
    [
      { speed: 0.1, temperature: 0 },
      { stability: 1, similarity_boost: 0.75, speed: 0.7 },
    ],
    [
      { speed: 1, temperature: 2 },
      { stability: 0, similarity_boost: 0.75, speed: 1 },
    ],
  ])('maps %j to voice settings', async (overrides, settings) => {
    await using setup = await setUpVoice()
    await setup.speak('Hi', overrides)
    expect(setup.server.connections[0]?.messages[0]?.voice_settings).toEqual(settings)
  })

  test('accepts the URL of a server with a path', async () => {
    await using setup = await setUpVoice()
    const baseUrl = `${setup.server.url.replace('ws:', 'http:')}/proxy/`
    const synthesizer = createElevenLabsSynthesizer({ ...setup.target, baseUrl, model: 'eleven_flash_v2_5' })
    expect(synthesizer.name).toBe('elevenlabs/eleven_flash_v2_5')
    expect((await collectSpeech(synthesizer.synthesize(buildSpeechRequest('Hi')))).outcome).toBe('end')
    expect(setup.server.connections[0]?.path).toBe('/proxy/v1/text-to-speech/slt/multi-stream-input')
  })
})

describe('an interrupted connection', () => {
  test('in the middle of a word reports the word with the time at which it would have ended', async () => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech({ kind: 'cut', afterMs: 400, chunkMs: 50 })
    const result = await setup.speak(TEXT)
    expect(result.outcome).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(result.samples).toHaveLength(6_400)
    expect(result.words).toEqual([
      { text: 'Hello', startMs: 0, endMs: 250 },
      { text: 'there', startMs: 350, endMs: 600 },
    ])
    expect(setup.countTexts()).toBe(1)
  })

  test.each([
    ['cut', { kind: 'cut', afterMs: 0 }],
    ['half-closed', { kind: 'half-close', afterMs: 0 }],
    ['closed', { kind: 'close', afterMs: 0, code: 1011 }],
  ] as const)('before the first audio (%s) is retried once', async (_name, reply) => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech(reply)
    expect((await setup.speak(TEXT)).outcome).toBe('end')
    setup.server.scriptSpeech(reply, reply)
    expect((await setup.speak(TEXT)).outcome).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(setup.countTexts()).toBe(4)
  })

  test('whose contexts the vendor dropped is replaced', async () => {
    await using setup = await setUpVoice()
    const error = { error: 'max_active_conversations', code: 1008, contextId: undefined }
    setup.server.scriptSpeech({ kind: 'messages', messages: [error], code: 1008 })
    expect((await setup.speak(TEXT)).outcome).toBe('end')
    expect(setup.server.connections.map(({ path }) => path)).toEqual([
      '/v1/text-to-speech/slt/multi-stream-input',
      '/v1/text-to-speech/slt/multi-stream-input',
    ])
  })
})

const FAULTS: readonly (readonly [string, Readonly<Record<string, unknown>>, string, boolean])[] = [
  ['too many requests', { error: 'too_many_concurrent_requests', code: 429 }, 'rate-limited', true],
  ['a rate limit without a name', { error: 'Slow down', code: 429 }, 'rate-limited', true],
  ['a busy vendor', { error: 'system_busy' }, 'rate-limited', true],
  ['a used-up quota', { error: 'quota_exceeded', message: 'my secret plan' }, 'rejected', false],
  ['an unknown voice', { error: 'voice_not_found', code: 1008 }, 'rejected', false],
  ['an invalid key', { error: 'invalid_api_key', code: 1008 }, 'unauthorized', false],
  ['a key without permission', { error: 'missing_permissions' }, 'unauthorized', false],
  ['an internal error', { error: 'my secret plan', code: 1011 }, 'unavailable', true],
  ['audio of another type', { audio: 5 }, 'protocol', true],
  ['an end without audio', { isFinal: true }, 'protocol', true],
]

describe('faults', () => {
  test.each(FAULTS)('%s', async (_name, message, kind, retryable) => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech({ kind: 'messages', messages: [message] })
    const { outcome, words } = await setup.speak('my secret plan')
    expect(outcome).toMatchObject({ kind, retryable })
    expect(words).toEqual([])
    expect(JSON.stringify(outcome)).not.toMatch(/secret|xi-0|127\.0/)
    // The failure concerns one context, so the socket is used again.
    expect((await setup.speak('again')).outcome).toBe('end')
    expect(setup.server.connections).toHaveLength(1)
  })

  test.each([
    ['not JSON', 'garbage'],
    ['not an object', '[1]'],
    ['binary', Buffer.from([1, 2])],
  ])('a message that is %s', async (_name, data) => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech({ kind: 'raw', data })
    expect((await setup.speak('Hi')).outcome).toMatchObject({ kind: 'protocol', retryable: true })
    expect((await setup.speak('again')).outcome).toBe('end')
  })

  test('an error without a context fails all contexts of the socket', async () => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech(
      { kind: 'hold' },
      { kind: 'messages', messages: [{ error: 'quota_exceeded', contextId: undefined }], code: 1008 },
    )
    const results = await Promise.all([setup.speak('One'), setup.speak('Two')])
    for (const { outcome } of results) expect(outcome).toMatchObject({ kind: 'rejected', retryable: false })
  })

  test('a wrong key', async () => {
    await using setup = await setUpVoice({ apiKey: 'other' })
    expect((await setup.speak('Hi')).outcome).toMatchObject({ kind: 'unauthorized', retryable: false })
    expect(setup.clock.timerCount).toBe(0)
  })

  test('an unreachable server', async () => {
    await using setup = await setUpVoice()
    await setup.server.close()
    expect((await setup.speak('Hi')).outcome).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(setup.clock.timerCount).toBe(0)
  })

  test('endless audio', async () => {
    await using setup = await setUpVoice()
    const audio = Buffer.alloc(16_000 * 2 * 50).toString('base64')
    setup.server.scriptSpeech({ kind: 'messages', messages: [{ audio }, { audio }, { audio }] })
    expect((await setup.speak('Hi')).outcome).toMatchObject({ kind: 'protocol' })
  })

  test('audio that arrives slowly for 90 seconds', async () => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech({ kind: 'stall', afterMs: 20 })
    const audio = Buffer.alloc(640).toString('base64')
    const events: SpeechEvent[] = []
    for await (const event of setup.synthesizer.synthesize(buildSpeechRequest('Hi'))) {
      if (event.type !== 'words') events.push(event)
      if (event.type !== 'audio') continue
      setup.clock.advance(3_000)
      setup.server.connections[0]?.sendJson({ audio, contextId: 'context-1' })
    }
    expect(events).toHaveLength(31)
    expect(events[30]).toMatchObject({ type: 'failed', failure: { kind: 'timeout', retryable: true } })
  })

  test('a context that the vendor closes as inactive', async () => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech({ kind: 'hold' })
    const result = setup.speak('Hi')
    await setup.server.waitFor(() => setup.countTexts() === 1)
    setup.server.expireContexts()
    expect((await result).outcome).toMatchObject({ kind: 'protocol', retryable: true })
  })

  test.each([
    ['never speaks', 0, 8_000],
    ['stalls in the middle', 400, 4_000],
  ])('a vendor that %s', async (_name, afterMs, timeoutMs) => {
    await using setup = await setUpVoice()
    setup.server.scriptSpeech({ kind: 'stall', afterMs })
    const result = setup.speak(TEXT)
    await setup.server.waitFor(() => setup.countTexts() === 1)
    await setup.clock.waitForTimer(timeoutMs)
    setup.clock.advance(timeoutMs)
    expect((await result).outcome).toMatchObject({ kind: 'timeout', retryable: true })
  })
})
