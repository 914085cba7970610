import { describe, expect, test } from 'vitest'
import { correlateEnvelopes } from '../../../../../../testing/speech-server/envelope.ts'
import type { SpeechReply } from '../../../../../../testing/speech-server/speech-reply.ts'
import {
  type SpeechServerOptions,
  startSpeechServer,
  synthesizeTones,
} from '../../../../../../testing/speech-server/speech-server.ts'
import { writeWav } from '../../../../../../testing/speech-server/wav-audio.ts'
import { createModelDispatcher } from '../../models/model-dispatcher.ts'
import { createTestClock, TEST_KEY } from '../../models/model-test-kit.ts'
import { buildSpeechRequest, collectSpeech } from '../speech-test-kit.ts'
import { createOpenAiSynthesizer, createPcmReader } from './openai-synthesizer.ts'

async function setUp(options: SpeechServerOptions = {}, apiKey: string = TEST_KEY) {
  const server = await startSpeechServer(options)
  const http = createModelDispatcher()
  const clock = createTestClock()
  const { baseUrl } = server
  const target = { http, clock, baseUrl, apiKey }
  return {
    server,
    clock,
    synthesizer: createOpenAiSynthesizer({ ...target, provider: 'openai', model: 'gpt-4o-mini-tts' }),
    async [Symbol.asyncDispose]() {
      await http.destroy()
      await server.close()
    },
  }
}

describe('speech', () => {
  test.each([8_000, 16_000] as const)('is resampled to %d Hz, regardless of the chunk size', async (rateHz) => {
    await using setup = await setUp({ apiKey: TEST_KEY })
    setup.server.script({ kind: 'normal', chunkBytes: 977 })
    const result = await collectSpeech(
      setup.synthesizer.synthesize(buildSpeechRequest('Hello there friend', { rateHz })),
    )
    expect(result.outcome).toBe('end')
    expect(Math.abs(result.samples.length - 1.05 * rateHz)).toBeLessThanOrEqual(1)
    const expectedAudio = { samples: synthesizeTones('Hello there friend'), rateHz: 24_000 }
    expect(correlateEnvelopes(expectedAudio, { samples: result.samples, rateHz }, 50)).toBeGreaterThan(0.99)
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('sends the speed and instructions only if they are set and supported', async () => {
    await using setup = await setUp()
    await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('Hi', { voice: 'coral' })))
    const overrides = { voice: 'nova', speed: 5, emotion: 'happy', model: 'gpt-4o-mini-tts-2025-12-15' }
    await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('Hi', overrides)))
    await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('Hi', { ...overrides, model: 'tts-1' })))
    expect(setup.server.requests.map((request) => request.kind === 'speech' && request.body)).toEqual([
      { model: 'gpt-4o-mini-tts', voice: 'coral', input: 'Hi', response_format: 'pcm' },
      {
        model: 'gpt-4o-mini-tts-2025-12-15',
        voice: 'nova',
        input: 'Hi',
        response_format: 'pcm',
        speed: 4,
        instructions: 'Speak in this emotion: happy.',
      },
      { model: 'tts-1', voice: 'nova', input: 'Hi', response_format: 'pcm', speed: 4 },
    ])
  })

  test('accepts WAV files at their own rate', async () => {
    await using setup = await setUp()
    const samples = synthesizeTones('one two', 22_050)
    const wav = writeWav({ samples, rateHz: 22_050 })
    setup.server.script({ kind: 'raw', contentType: 'audio/wav', body: wav })
    const result = await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('one two')))
    expect(Math.abs(result.samples.length - 0.7 * 16_000)).toBeLessThanOrEqual(2)
    expect(
      correlateEnvelopes({ samples, rateHz: 22_050 }, { samples: result.samples, rateHz: 16_000 }),
    ).toBeGreaterThan(0.99)
  })

  test('reuses connections', async () => {
    await using setup = await setUp()
    for (const text of ['One', 'Two', 'Three', 'Four', 'Five', 'Six'])
      await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest(text)))
    // The next request can start before the previous connection is free.
    expect(setup.server.openConnections).toBeLessThanOrEqual(2)
  })
})

const FAULTS: readonly (readonly [string, SpeechReply, string])[] = [
  ['a wrong key', { kind: 'wrong-key' }, 'unauthorized'],
  ['too many requests', { kind: 'quota', retryAfterSeconds: 7 }, 'rate-limited'],
  [
    'a broken server',
    { kind: 'json', status: 500, body: { error: { message: 'Speak: my secret plan' } } },
    'unavailable',
  ],
  ['an unknown model', { kind: 'json', status: 404, body: { error: { code: 'model_not_found' } } }, 'rejected'],
  ['an unknown voice', { kind: 'json', status: 400, body: { error: { message: 'my secret plan' } } }, 'rejected'],
  ['a redirect', { kind: 'redirect', to: 'http://127.0.0.1:1/' }, 'rejected'],
  ['an HTML page', { kind: 'html' }, 'protocol'],
  ['JSON instead of audio', { kind: 'json', body: {} }, 'protocol'],
  ['an MP3 file', { kind: 'raw', contentType: 'audio/mpeg', body: 'ID3' }, 'protocol'],
  ['an empty response', { kind: 'raw', contentType: 'audio/pcm', body: '' }, 'protocol'],
  ['a WAV file in another encoding', { kind: 'raw', contentType: 'audio/wav', body: createAlawWav() }, 'protocol'],
  ['a response that is not HTTP', { kind: 'garbage' }, 'protocol'],
  ['a closed connection', { kind: 'refuse' }, 'unavailable'],
  ['a reset in the middle of the response', { kind: 'reset', afterBytes: 9_600 }, 'unavailable'],
  ['a half-closed connection', { kind: 'half-close', afterBytes: 9_600 }, 'unavailable'],
  ['10 MB', { kind: 'raw', contentType: 'audio/pcm', body: Buffer.alloc(10 * 1024 * 1024) }, 'protocol'],
]

/** Builds a WAV file in A-law format. */
function createAlawWav(): Buffer {
  const wav = writeWav({ samples: new Int16Array(8_000), rateHz: 8_000 })
  wav.writeUInt16LE(6, 20)
  return wav
}

describe('faults', () => {
  test.each(FAULTS)('%s', async (_name, reply, kind) => {
    await using setup = await setUp()
    setup.server.setReply(reply)
    const result = await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('my secret plan')))
    setup.server.setReply(null)
    expect(result.outcome).toMatchObject({ kind })
    expect(JSON.stringify(result.outcome)).not.toMatch(/secret plan|sk-te|127\.0\.0\.1/)
    expect(setup.clock.pendingTimers).toBe(0)
    expect((await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('again')))).outcome).toBe('end')
  })

  test('retries once after a connection that closes before the response', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'refuse' })
    expect((await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('Hi')))).outcome).toBe('end')
    expect(setup.server.requests).toHaveLength(2)
  })

  test('reports how long a vendor asks to wait', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'quota', retryAfterSeconds: 7 })
    expect((await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('Hi')))).outcome).toMatchObject({
      message: 'The provider responded with status 429 (rate_limit_exceeded, requests) and asks to wait 7 seconds.',
    })
  })

  test.each([
    ['never responds', { kind: 'hang' }, 8_000],
    ['stalls in the middle of the response', { kind: 'stall', afterBytes: 4_800 }, 4_000],
  ] as const)('times out if a provider %s', async (_name, reply, afterMs) => {
    await using setup = await setUp()
    setup.server.script(reply)
    const result = collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('Hi there')))
    await setup.server.received(1)
    await setup.clock.timerSet(afterMs)
    setup.clock.advance(afterMs)
    expect((await result).outcome).toMatchObject({ kind: 'timeout', retryable: true })
    await setup.server.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('closes the connection immediately on abort, without an event', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'stall', afterBytes: 4_800 })
    const abortController = new AbortController()
    const result = collectSpeech(
      setup.synthesizer.synthesize(buildSpeechRequest('Hi there', { signal: abortController.signal })),
    )
    await setup.server.received(1)
    abortController.abort()
    expect((await result).outcome).toBeNull()
    await setup.server.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('emits no event after an abort, even if all audio has arrived', async () => {
    await using setup = await setUp()
    const abortController = new AbortController()
    const types: string[] = []
    setup.server.script({ kind: 'normal', chunkBytes: 4_800 })
    for await (const event of setup.synthesizer.synthesize(
      buildSpeechRequest('One two three four', { signal: abortController.signal }),
    )) {
      types.push(event.type)
      abortController.abort()
    }
    expect(types).toEqual(['audio'])
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('pauses reading while the consumer is slow and loses no audio', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'normal', chunkBytes: 2_000 })
    const stream = setup.synthesizer.synthesize(buildSpeechRequest('word '.repeat(300)))
    let sampleCount = 0
    for await (const event of stream) {
      if (event.type === 'audio') sampleCount += event.samples.length
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(Math.abs(sampleCount - 300 * 0.35 * 16_000)).toBeLessThanOrEqual(2)
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('fails for an unreachable server and an invalid key header', async () => {
    await using setup = await setUp({}, 'line\nbreak')
    expect((await collectSpeech(setup.synthesizer.synthesize(buildSpeechRequest('Hi')))).outcome).toMatchObject({
      kind: 'rejected',
    })
    await setup.server.close()
    await using closedSetup = await setUp()
    await closedSetup.server.close()
    expect((await collectSpeech(closedSetup.synthesizer.synthesize(buildSpeechRequest('Hi')))).outcome).toMatchObject({
      kind: 'unavailable',
    })
  })
})

const STANDARD_RATES_HZ = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
const OTHER_RATES_HZ = [0, 1, 7_999, 8_001, 15_999, 44_101, 47_999, 48_001, 96_000, 192_000]

function readFromWav(rateHz: number): Int16Array | null {
  return createPcmReader(16_000).push(writeWav({ samples: new Int16Array(rateHz), rateHz }))
}

function readFromPcm(rateHz: number): Int16Array | null {
  return createPcmReader(16_000, `audio/pcm;rate=${rateHz}`).push(Buffer.alloc(rateHz * 2))
}

describe('sample rates', () => {
  test.each(STANDARD_RATES_HZ)('accepts %i Hz', (rateHz) => {
    for (const samples of [readFromWav(rateHz), readFromPcm(rateHz)]) {
      expect(Math.abs((samples?.length ?? 0) - 16_000)).toBeLessThan(40)
    }
  })

  test.each(OTHER_RATES_HZ)('rejects %i Hz', (rateHz) => {
    expect(readFromWav(rateHz)).toBeNull()
    expect(createPcmReader(16_000, `audio/pcm;rate=${rateHz}`).push(Buffer.alloc(2_000))).toBeNull()
  })

  test('assumes 24 kHz without a declared rate', () => {
    expect(createPcmReader(24_000, 'audio/pcm').push(Buffer.alloc(2_000))).toHaveLength(1_000)
  })
})
