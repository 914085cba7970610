import { getHeardPrefix } from '@parley/engine/audio/word-timing'
import type { SpeechEvent, SpeechRequest } from '@parley/engine/voice/ports'
import { getRemainingText } from '@parley/engine/voice/session/synthesis-queue'
import { describe, expect, test } from 'vitest'
import type { CartesiaReply, CartesiaServerOptions } from '../../../../../../testing/cartesia-server/cartesia-reply.ts'
import { startCartesiaServer } from '../../../../../../testing/cartesia-server/cartesia-server.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { createLoopbackConnector } from '../../../../../../testing/tool-server/loopback-connector.ts'
import { createSteppedClock } from '../../../../../../testing/tool-server/stepped-clock.ts'
import { createGuardedSocketOpener } from '../../../platform/outbound/guarded-socket.ts'
import { createTargetPolicy } from '../../../platform/outbound/target-policy.ts'
import { TEST_KEY } from '../../models/model-test-kit.ts'
import { buildSpeechRequest, collectSpeech } from '../speech-test-kit.ts'
import { CARTESIA_MODEL, createCartesiaSynthesizer } from './cartesia-synthesizer.ts'

const IDLE_CLOSE_MS = 60_000

async function setUp(options: CartesiaServerOptions = {}, apiKey = TEST_KEY) {
  const server = await startCartesiaServer({ apiKey: TEST_KEY, ...options })
  const clock = createSteppedClock()
  const openSocket = createGuardedSocketOpener({
    clock,
    policy: createTargetPolicy({ allowPrivateTargets: [`127.0.0.1:${server.port}`] }),
    makeConnector: createLoopbackConnector,
  })
  const { baseUrl } = server
  const synthesizer = createCartesiaSynthesizer({ openSocket, clock, baseUrl, apiKey, model: CARTESIA_MODEL })
  const read = (text: string, overrides: Partial<SpeechRequest> = {}) =>
    synthesizer.synthesize(buildSpeechRequest(text, overrides)) as AsyncIterableIterator<SpeechEvent>
  return {
    server,
    clock,
    synthesizer,
    read,
    speak: (text: string, overrides: Partial<SpeechRequest> = {}) => collectSpeech(read(text, overrides)),
    async [Symbol.asyncDispose]() {
      // No timer and no socket remains once the idle time has passed.
      clock.advance(IDLE_CLOSE_MS)
      await server.allClosed()
      await server.close()
    },
  }
}

describe('a request', () => {
  test('is one complete context with its own voice, rate and language', async () => {
    await using setup = await setUp()
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
    await using setup = await setUp()
    const requests: Partial<SpeechRequest>[] = [
      { speed: 2, emotion: 'fearful' },
      { speed: 0.5, model: 'sonic-3.5' },
      { speed: 1.2, emotion: 'calm', language: '' },
    ]
    for (const overrides of requests) expect((await setup.speak('Hi', overrides)).outcome).toBe('end')
    const fields = setup.server.requests.map((request) => request.fields)
    expect(fields).toMatchObject([
      { generation_config: { speed: 1.5, emotion: 'scared' }, model_id: 'sonic-3' },
      { generation_config: { speed: 0.6 }, model_id: 'sonic-3.5' },
      { generation_config: { speed: 1.2, emotion: 'calm' } },
    ])
    expect(fields.map(({ language }) => language)).toEqual(['en', 'en', undefined])
    expect(fields[1]?.generation_config).not.toHaveProperty('emotion')
  })

  test('returns the same samples at the rate of a phone, for chunks that end within a sample', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'normal', chunkBytes: 977 })
    const result = await setup.speak('One two', { rateHz: 8_000 })
    expect(result.samples).toEqual(synthesizeTones('One two', 8_000))
  })
})

describe('word times', () => {
  test('count from the start of each context', async () => {
    await using setup = await setUp()
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
    await using setup = await setUp()
    const { words } = await setup.speak(text, { language })
    expect(words[0]).toEqual({ text: text.slice(0, 1), startMs: 0, endMs: 250 })
    expect(getHeardPrefix(text, words, count)).toMatch(new RegExp(`^${heard}[、，]?$`))
  })

  test('show where a fallback voice continues after a cut within a word, also without spaces', async () => {
    await using setup = await setUp()
    // 1.1 words: 12,320 bytes of audio, of which 4 chunks arrive.
    setup.server.script({ kind: 'cut', afterChunks: 4 }, { kind: 'cut', afterChunks: 4 })
    for (const [text, language, remaining] of [
      ['Alpha, bravo charlie.', 'en', 'bravo charlie.'],
      ['你好，我是小王。', 'zh', '好，我是小王。'],
    ] as const) {
      const { samples, words, outcome } = await setup.speak(text, { language })
      expect(outcome).toMatchObject({ kind: 'unavailable', retryable: true })
      expect(samples).toHaveLength(6_400)
      expect(getRemainingText(text, { synthesizedMs: 400, words, speed: 1 })).toBe(remaining)
    }
  })

  test('that are malformed are omitted', async () => {
    await using setup = await setUp()
    const malformed = {
      words: ['a', 7, 'b', 'c', ''],
      start: [0.1, 0.2, 'x', 0.4, 0.5],
      end: [0.2, 0.3, 0.4, 0.1, 0.6],
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

describe('sockets', () => {
  test('carry many contexts at the same time, and another socket opens for more', async () => {
    await using setup = await setUp()
    const texts = Array.from({ length: 18 }, (_, index) => `Text ${'a'.repeat(index + 1)}`)
    const results = await Promise.all(texts.map((text) => setup.speak(text)))
    expect(results.map(({ samples }) => samples)).toEqual(texts.map((text) => synthesizeTones(text, 16_000)))
    expect(setup.server.requests.filter(({ socketIndex }) => socketIndex === 0)).toHaveLength(16)
    expect(setup.server.socketCount).toBe(2)
    const contextIds = setup.server.requests.map(({ fields }) => fields.context_id)
    expect(new Set(contextIds).size).toBe(18)
  })

  test('close after a minute without requests, and the next request opens another', async () => {
    await using setup = await setUp()
    await setup.speak('One')
    setup.clock.advance(IDLE_CLOSE_MS - 1)
    await setup.speak('Two')
    expect(setup.server.socketCount).toBe(1)
    setup.clock.advance(IDLE_CLOSE_MS)
    await setup.server.allClosed()
    await setup.speak('Three')
    expect(setup.server.socketCount).toBe(2)
  })

  test('open in advance and stay open while a call needs them', async () => {
    await using setup = await setUp()
    const voice = buildSpeechRequest('')
    const releases = [setup.synthesizer.connect?.(voice), setup.synthesizer.connect?.(voice)]
    await setup.speak('One')
    releases[0]?.()
    releases[0]?.()
    setup.clock.advance(IDLE_CLOSE_MS * 4)
    await setup.speak('Two')
    expect(setup.server.socketCount).toBe(1)
    releases[1]?.()
    setup.clock.advance(IDLE_CLOSE_MS)
    await setup.server.allClosed()
  })

  test('that the service closed while they were idle are replaced without a failure', async () => {
    await using setup = await setUp()
    const release = setup.synthesizer.connect?.(buildSpeechRequest(''))
    await setup.speak('One')
    // The request is sent before the client has received the end of the connection.
    setup.server.closeIdleSockets()
    expect((await setup.speak('Two')).outcome).toBe('end')
    expect(setup.server.socketCount).toBe(2)
    setup.server.closeIdleSockets()
    await setup.server.allClosed()
    expect((await setup.speak('Three')).outcome).toBe('end')
    release?.()
  })

  test('that break within speech are not retried, so that no audio is repeated', async () => {
    await using setup = await setUp()
    await setup.speak('One')
    setup.server.script({ kind: 'cut', afterChunks: 2 })
    const { outcome, samples } = await setup.speak('Two three')
    expect(outcome).toMatchObject({ kind: 'unavailable' })
    expect(samples).toHaveLength(3_200)
  })

  test('that fail again are not retried', async () => {
    await using setup = await setUp()
    await setup.speak('One')
    setup.server.script({ kind: 'cut', afterChunks: 0 }, { kind: 'cut', afterChunks: 0 })
    expect((await setup.speak('Two')).outcome).toMatchObject({ kind: 'unavailable' })
    expect(setup.server.socketCount).toBe(2)
  })
})

describe('cancellation', () => {
  test('stops the context by its ID, drops late audio and keeps the socket', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'stall', afterChunks: 2 }, { kind: 'stall', afterChunks: 1 })
    const controller = new AbortController()
    const events: SpeechEvent[] = []
    const aborted = (async () => {
      for await (const event of setup.read('One two three', { signal: controller.signal })) {
        events.push(event)
        if (events.length === 3) controller.abort()
      }
    })()
    const otherController = new AbortController()
    const other = setup.read('Other words', { signal: otherController.signal })
    expect((await other.next()).value).toMatchObject({ type: 'words' })
    await aborted
    await setup.server.received(3)
    const [first, , cancel] = setup.server.requests.map(({ fields }) => fields)
    expect(cancel).toEqual({ context_id: first?.context_id, cancel: true })
    // The late chunk of the cancelled context has arrived before this reply.
    expect((await setup.speak('Next')).samples).toEqual(synthesizeTones('Next', 16_000))
    expect(events.map(({ type }) => type)).toEqual(['words', 'audio', 'audio'])
    expect((await other.next()).value).toMatchObject({ type: 'audio' })
    await other.return?.()
    await setup.server.received(5)
    expect(setup.server.socketCount).toBe(1)
  })

  test('sends nothing if the context has ended or has not started', async () => {
    await using setup = await setUp()
    const controller = new AbortController()
    await setup.speak('One', { signal: controller.signal })
    controller.abort()
    expect((await setup.speak('Two', { signal: controller.signal })).events).toEqual([])
    await setup.speak('Three')
    expect(setup.server.requests.map(({ fields }) => fields.transcript)).toEqual(['One', 'Three'])
  })

  test('while the socket opens ends without an event', async () => {
    await using setup = await setUp()
    const controller = new AbortController()
    const speech = setup.speak('my secret plan', { signal: controller.signal })
    controller.abort()
    expect((await speech).events).toEqual([])
    await setup.speak('Next')
    expect(setup.server.socketCount).toBe(1)
  })
})

const ERRORS = [
  [401, 'unauthorized', false],
  [403, 'unauthorized', false],
  [402, 'rejected', false],
  [404, 'rejected', false],
  [422, 'rejected', false],
  [429, 'rate-limited', true],
  [500, 'unavailable', true],
] as const

describe('errors', () => {
  test.each(ERRORS)('with status %d end one context', async (status, kind, retryable) => {
    await using setup = await setUp()
    setup.server.script({ kind: 'stall', afterChunks: 1 }, { kind: 'error', status, errorCode: 'some_code' })
    const controller = new AbortController()
    const other = setup.read('Other words', { signal: controller.signal })
    expect((await other.next()).value).toMatchObject({ type: 'words' })
    const { outcome } = await setup.speak('my secret plan')
    const message = `The provider ended the speech with an error with status ${status} (some_code).`
    expect(outcome).toEqual({ kind, message, retryable })
    expect((await other.next()).value).toMatchObject({ type: 'audio' })
    controller.abort()
    expect((await setup.speak('Next')).outcome).toBe('end')
    expect(setup.server.socketCount).toBe(1)
  })

  test('without a context end all contexts of the socket', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'stall', afterChunks: 1 }, { kind: 'error', status: 402, hasContext: false })
    const outcomes = await Promise.all([setup.speak('One two'), setup.speak('Three')])
    expect(outcomes.map(({ outcome }) => outcome)).toMatchObject([{ kind: 'rejected' }, { kind: 'rejected' }])
    expect((await setup.speak('Next')).outcome).toBe('end')
    expect(setup.server.socketCount).toBe(2)
  })

  test('report the concurrency limit of the plan, and do not affect running contexts', async () => {
    await using setup = await setUp({ maxContexts: 1 })
    setup.server.script({ kind: 'stall', afterChunks: 1 })
    const controller = new AbortController()
    const running = setup.read('Running', { signal: controller.signal })
    await running.next()
    expect((await setup.speak('One too many')).outcome).toMatchObject({ kind: 'rate-limited', retryable: true })
    expect((await running.next()).value).toMatchObject({ type: 'audio' })
    controller.abort()
  })

  test.each([
    [401, 'unauthorized'],
    [402, 'rejected'],
    [429, 'rate-limited'],
    [500, 'unavailable'],
  ] as const)('with status %d prevent the socket from opening', async (status, kind) => {
    await using setup = await setUp()
    setup.server.scriptHandshakes({ status })
    expect((await setup.speak('my secret plan')).outcome).toMatchObject({ kind })
    expect((await setup.speak('Next')).outcome).toBe('end')
  })

  test('report a wrong key without the key', async () => {
    await using setup = await setUp({}, 'sk_car_wrong_0123456789')
    const { outcome } = await setup.speak('my secret plan')
    expect(outcome).toMatchObject({ kind: 'unauthorized' })
    expect(JSON.stringify(outcome)).not.toMatch(/sk_car|secret plan|127\.0/)
  })
})

const FAULTS: readonly (readonly [string, CartesiaReply, string])[] = [
  ['text that is not JSON', { kind: 'raw', message: 'my secret plan' }, 'protocol'],
  ['a list', { kind: 'raw', message: '[]' }, 'protocol'],
  ['a binary message', { kind: 'raw', message: Buffer.alloc(100) }, 'protocol'],
  ['audio that is not base64', { kind: 'message', fields: { type: 'chunk', data: 'my secret plan' } }, 'protocol'],
  ['audio that is not text', { kind: 'message', fields: { type: 'chunk', data: 7 } }, 'protocol'],
  ['no audio', { kind: 'empty' }, 'protocol'],
  ['a connection that breaks within a word', { kind: 'cut', afterChunks: 1 }, 'unavailable'],
  ['a half-closed connection', { kind: 'half-close', afterChunks: 1 }, 'unavailable'],
]

describe('faults', () => {
  test.each(FAULTS)('%s', async (_name, reply, kind) => {
    await using setup = await setUp()
    setup.server.script(reply)
    const { outcome } = await setup.speak('my secret plan')
    expect(outcome).toMatchObject({ kind })
    expect(JSON.stringify(outcome)).not.toMatch(/secret plan|sk-te|127\.0/)
    expect((await setup.speak('Next')).outcome).toBe('end')
  })

  test('more than two minutes of audio', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'message', fields: { type: 'chunk', data: 'A'.repeat(4_000_000) } })
    expect((await setup.speak('Hi', { rateHz: 8_000 })).outcome).toMatchObject({ kind: 'protocol' })
  })

  test('unknown messages are ignored', async () => {
    await using setup = await setUp()
    const types = ['flush_done', 'phoneme_timestamps', 'news', undefined]
    setup.server.script(...types.map((type) => ({ kind: 'message', fields: { type } }) as const))
    for (const _ of types) expect((await setup.speak('Hi')).outcome).toBe('end')
  })

  test.each([
    ['never answers', { kind: 'stall', afterChunks: 0 }, 8_000],
    ['stalls within the speech', { kind: 'stall', afterChunks: 2 }, 4_000],
  ] as const)('a service that %s is cancelled, and the next request uses another socket', async (_, reply, limitMs) => {
    await using setup = await setUp()
    setup.server.script(reply)
    const speech = setup.speak('One two three')
    await setup.clock.waitForTimer(limitMs)
    await setup.server.received(1)
    setup.clock.advance(limitMs)
    expect((await speech).outcome).toMatchObject({ kind: 'timeout', retryable: true })
    expect((await setup.speak('Next')).outcome).toBe('end')
    expect(setup.server.socketCount).toBe(2)
  })

  test('a handshake that is never answered', async () => {
    await using setup = await setUp()
    setup.server.scriptHandshakes('hang')
    const speech = setup.speak('One')
    await setup.server.handshakesReceived(1)
    setup.clock.advance(5_000)
    expect((await speech).outcome).toMatchObject({ kind: 'timeout' })
    expect((await setup.speak('Next')).outcome).toBe('end')
  })

  test('speech without an end', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'stall', afterChunks: 1 })
    const speech = setup.read('One two')
    expect((await speech.next()).value).toMatchObject({ type: 'words' })
    setup.clock.advance(90_000)
    const { outcome } = await collectSpeech(speech)
    expect(outcome).toMatchObject({ kind: 'timeout' })
  })
})
