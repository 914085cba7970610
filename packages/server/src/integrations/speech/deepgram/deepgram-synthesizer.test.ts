import type { SpeechEvent, SpeechRequest } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import type { SpeakReply } from '../../../../../../testing/deepgram-server/speak-replies.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { buildSpeechRequest, collectSpeech } from '../speech-test-kit.ts'
import { createDeepgramSynthesizer } from './deepgram-synthesizer.ts'
import { setUpDeepgram } from './deepgram-test-kit.ts'

const AURA_VOICE = 'aura-2-thalia-en'
const FLUX_VOICE = 'flux-haley-en'
const IDLE_TIMEOUT_MS = 50_000

async function setUp(apiKey?: string) {
  const setup = await setUpDeepgram(apiKey)
  const synthesizer = createDeepgramSynthesizer(setup.target)
  const speak = (text: string, overrides: Partial<SpeechRequest> = {}) =>
    collectSpeech(synthesizer.synthesize(buildSpeechRequest(text, { voice: AURA_VOICE, ...overrides })))
  return { ...setup, synthesizer, speak }
}

/** Starts to speak and resolves once the first audio has arrived. */
async function startSpeech(setup: Awaited<ReturnType<typeof setUp>>, overrides: Partial<SpeechRequest> = {}) {
  const abortController = new AbortController()
  const stream = setup.synthesizer.synthesize(
    buildSpeechRequest('One two three', { voice: AURA_VOICE, signal: abortController.signal, ...overrides }),
  )
  const events: SpeechEvent[] = []
  const started = Promise.withResolvers<void>()
  const finished = (async () => {
    for await (const event of stream) {
      events.push(event)
      started.resolve()
    }
    return events
  })()
  await started.promise
  return { abort: () => abortController.abort(), finished, events }
}

describe('speech', () => {
  test.each([
    [AURA_VOICE, 8_000, undefined, '/v1/speak'],
    [AURA_VOICE, 16_000, 977, '/v1/speak'],
    [FLUX_VOICE, 16_000, 3_201, '/v2/speak'],
  ] as const)('of %s arrives at %i Hz in chunks of %s bytes', async (voice, rateHz, chunkBytes, path) => {
    await using setup = await setUp()
    setup.server.scriptSpeech({ kind: 'normal', ...(chunkBytes === undefined ? {} : { chunkBytes }) })
    const { samples, outcome, words } = await setup.speak('Hello there friend', { voice, rateHz })
    expect(outcome).toBe('end')
    // The vendor sends no word times, so the engine estimates them.
    expect(words).toEqual([])
    expect(samples).toEqual(synthesizeTones('Hello there friend', rateHz))
    const [connection] = setup.server.connections
    expect(connection?.path).toBe(path)
    expect(Object.fromEntries(connection?.parameters ?? [])).toEqual({
      model: voice,
      encoding: 'linear16',
      sample_rate: String(rateHz),
      mip_opt_out: 'true',
    })
    expect(connection?.commands).toEqual([{ type: 'Speak', text: 'Hello there friend' }, { type: 'Flush' }])
    // The connection waits for the next text.
    expect(setup.clock.timerCount).toBe(1)
    setup.clock.advance(IDLE_TIMEOUT_MS)
    expect(await connection?.closed).toBe(1000)
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })

  test.each([
    [AURA_VOICE, 1, null],
    [AURA_VOICE, 1.23, '1.25'],
    [AURA_VOICE, 3, '1.5'],
    ['aura-2-celeste-es', 0.2, '0.7'],
    ['aura-2-viktoria-de', 1.2, null],
    ['aura-asteria-en', 1.2, null],
    [FLUX_VOICE, 0.2, '0.5'],
  ])('of %s with speed %f', async (voice, speed, expected) => {
    await using setup = await setUp()
    await setup.speak('Hi', { voice, speed })
    expect(setup.server.connections[0]?.parameters.get('speed')).toBe(expected)
  })

  test.each([
    [FLUX_VOICE, 1, null],
    [FLUX_VOICE, 1.2, null],
    [FLUX_VOICE, 0, '-2'],
    [FLUX_VOICE, 1.6, '1'],
    [FLUX_VOICE, 2, '2'],
    [AURA_VOICE, 2, null],
  ])('of %s with temperature %f', async (voice, temperature, expected) => {
    await using setup = await setUp()
    expect((await setup.speak('Hi', { voice, temperature })).outcome).toBe('end')
    expect(setup.server.connections[0]?.parameters.get('expressivity')).toBe(expected)
  })

  test('of a long text is requested in parts, one after the other', async () => {
    await using setup = await setUp()
    const sentence = `${'wonderful '.repeat(75)}end. `
    const text = `${sentence.repeat(4)}${'x'.repeat(2_500)}`
    const { outcome, samples } = await setup.speak(text)
    expect(outcome).toBe('end')
    const texts = setup.server.connections[0]?.commands.flatMap((command) =>
      command.type === 'Speak' ? [String(command.text)] : [],
    )
    expect(texts?.map((part) => part.length)).toEqual([1_509, 1_509, 2_000, 500])
    expect(texts?.slice(0, 2).every((part) => part.endsWith('end.'))).toBe(true)
    expect(samples).toHaveLength((76 * 4 + 2) * 0.35 * 16_000)
  })

  test('of a long text without spaces is not divided within a character', async () => {
    await using setup = await setUp()
    await setup.speak(`x${'😀'.repeat(1_000)}`)
    const texts = setup.server.connections[0]?.commands.flatMap(({ text }) =>
      text === undefined ? [] : [String(text)],
    )
    expect(texts).toEqual([`x${'😀'.repeat(999)}`, '😀'])
  })

  test('reuses the connection of the same voice only', async () => {
    await using setup = await setUp()
    for (const voice of [AURA_VOICE, AURA_VOICE, 'aura-2-zeus-en', AURA_VOICE]) await setup.speak('Hi', { voice })
    expect(setup.server.connections.map(({ commands }) => commands.length)).toEqual([6, 2])
  })

  test('speaks over another connection at the limit of texts per minute, and later over the first again', async () => {
    await using setup = await setUp()
    for (let count = 0; count < 19; count += 1) await setup.speak('Hi')
    expect(setup.server.connections.map(({ commands }) => commands.length)).toEqual([36, 2])
    setup.clock.advance(IDLE_TIMEOUT_MS - 1)
    await setup.speak('Hi')
    setup.clock.advance(2)
    await expect.poll(() => setup.server.connections.filter(({ isOpen }) => isOpen).length).toBe(1)
  })
})

describe('a reserved connection', () => {
  test('is used by the next request, and kept until it is released', async () => {
    await using setup = await setUp()
    const voice = { voice: AURA_VOICE, model: null, language: 'en', rateHz: 16_000 } as const
    const release = setup.synthesizer.connect?.(voice)
    const connection = await setup.opened(0)
    setup.clock.advance(IDLE_TIMEOUT_MS * 3)
    await setup.speak('Hi')
    expect(connection.commandTypes).toEqual(['Speak', 'Flush'])
    release?.()
    release?.()
    setup.clock.advance(IDLE_TIMEOUT_MS)
    expect(await connection.closed).toBe(1000)
    expect(setup.server.connections).toHaveLength(1)
  })

  test('is replaced if the vendor closes it, unless the vendor does so at once', async () => {
    await using setup = await setUp()
    const voice = { voice: AURA_VOICE, model: null, language: 'en', rateHz: 16_000 } as const
    const release = setup.synthesizer.connect?.(voice)
    const connection = await setup.opened(0)
    setup.clock.advance(20_000)
    connection.close(1011, 'NET-0001')
    const next = await setup.opened(1)
    next.drop()
    await expect.poll(() => setup.clock.timerCount).toBe(0)
    expect((await setup.speak('Hi')).outcome).toBe('end')
    expect(setup.server.connections).toHaveLength(3)
    release?.()
  })
})

describe('an abort', () => {
  test.each<SpeakReply>([
    { kind: 'stall', afterBytes: 3_200 },
    { kind: 'late', afterBytes: 3_200 },
  ])('clears the text, and later audio and confirmations are ignored (%j)', async (reply) => {
    await using setup = await setUp()
    setup.server.scriptSpeech(reply)
    const speech = await startSpeech(setup)
    speech.abort()
    expect((await speech.finished).map(({ type }) => type)).toEqual(['audio'])
    await setup.server.until(() => setup.server.connections[0]?.commandTypes.includes('Clear') === true)
    await setup.clock.waitForTimer(IDLE_TIMEOUT_MS)
    const next = await setup.speak('Four five')
    expect(next.outcome).toBe('end')
    expect(next.samples).toEqual(synthesizeTones('Four five', 16_000))
    expect(setup.server.connections).toHaveLength(1)
  })

  test('is followed by a text without audio, whose end is not mistaken for the end of the dropped text', async () => {
    await using setup = await setUp()
    setup.server.scriptSpeech(
      { kind: 'late', afterBytes: 3_200 },
      { kind: 'late', afterBytes: 3_200 },
      { kind: 'empty' },
    )
    for (let count = 0; count < 2; count += 1) {
      const speech = await startSpeech(setup)
      speech.abort()
      await speech.finished
      await setup.clock.waitForTimer(IDLE_TIMEOUT_MS)
    }
    expect((await setup.speak('Hi')).outcome).toMatchObject({ kind: 'protocol' })
    expect(setup.server.connections).toHaveLength(1)
  })

  test('closes the connection if the vendor does not confirm it', async () => {
    await using setup = await setUp()
    setup.server.scriptSpeech({ kind: 'deaf', afterBytes: 3_200 })
    const speech = await startSpeech(setup)
    speech.abort()
    await speech.finished
    const connection = await setup.opened(0)
    await setup.server.until(() => connection.commandTypes.includes('Clear'))
    const next = setup.speak('Hi')
    setup.clock.advance(500)
    expect(await connection.closed).toBe(1000)
    expect((await next).outcome).toBe('end')
    expect(setup.server.connections).toHaveLength(2)
  })

  test('closes the connection of a Flux voice', async () => {
    await using setup = await setUp()
    setup.server.scriptSpeech({ kind: 'stall', afterBytes: 3_200 })
    const speech = await startSpeech(setup, { voice: FLUX_VOICE })
    speech.abort()
    const connection = await setup.opened(0)
    expect(await connection.closed).toBe(1000)
    expect(connection.commandTypes).toEqual(['Speak', 'Flush', 'Close'])
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })

  test('while the connection opens emits nothing', async () => {
    await using setup = await setUp()
    const abortController = new AbortController()
    const speech = setup.speak('Hi', { signal: abortController.signal })
    abortController.abort()
    expect((await speech).events).toEqual([])
    await setup.clock.waitForTimer(IDLE_TIMEOUT_MS)
  })
})

const FAULTS: readonly (readonly [string, SpeakReply, object])[] = [
  ['a broken connection', { kind: 'drop', afterBytes: 3_200 }, { kind: 'unavailable', retryable: true }],
  ['an internal error', { kind: 'close', code: 1011 }, { kind: 'unavailable', retryable: true }],
  ['too many characters per minute', { kind: 'close', code: 1008 }, { kind: 'rate-limited', retryable: true }],
  ['a text that is too long', { kind: 'close', code: 1009 }, { kind: 'rejected', retryable: false }],
  ['an invalid message', { kind: 'close', code: 1003 }, { kind: 'rejected', retryable: false }],
  ['invalid data', { kind: 'close', code: 1007 }, { kind: 'rejected', retryable: false }],
  ['no audio', { kind: 'empty' }, { kind: 'protocol' }],
  ['garbage', { kind: 'raw', data: '<html>' }, { kind: 'protocol' }],
  [
    'an error',
    { kind: 'message', message: { type: 'Error', code: 'TTS-1', description: 'my secret plan' } },
    { kind: 'unavailable', message: 'The provider reported an error (TTS-1).' },
  ],
  [
    'a warning about the number of flushes',
    { kind: 'message', message: { type: 'Warning', code: 'EXCESSIVE_FLUSH', description: 'my secret plan' } },
    { kind: 'rate-limited' },
  ],
]

describe('faults', () => {
  test.each(FAULTS)('%s', async (_name, reply, failure) => {
    await using setup = await setUp()
    setup.server.scriptSpeech(reply)
    const { outcome } = await setup.speak('my secret plan')
    expect(outcome).toMatchObject(failure)
    expect(JSON.stringify(outcome)).not.toContain('secret')
    expect((await setup.speak('again')).outcome).toBe('end')
  })

  test.each([
    [401, 'unauthorized'],
    [429, 'rate-limited'],
    [400, 'rejected'],
    [503, 'unavailable'],
  ])('a handshake refused with status %i', async (status, kind) => {
    await using setup = await setUp()
    setup.server.refuse(status)
    const message = expect.stringMatching(/Request ID: [0-9a-f-]{36}\. Reason: Refused\.$/)
    expect((await setup.speak('Hi')).outcome).toMatchObject({ kind, message })
    expect(setup.clock.timerCount).toBe(0)
  })

  test('a wrong key and an unknown voice', async () => {
    await using setup = await setUp('wrong')
    expect((await setup.speak('Hi')).outcome).toMatchObject({ kind: 'unauthorized' })
    await using otherSetup = await setUp()
    expect((await otherSetup.speak('Hi', { voice: 'slt' })).outcome).toMatchObject({ kind: 'rejected' })
  })

  test.each([
    ['sends no audio', { kind: 'stall', afterBytes: 0 }, 8_000],
    ['stops in the middle of the audio', { kind: 'stall', afterBytes: 3_200 }, 4_000],
    ['only warns', { kind: 'message', message: { type: 'Warning', code: 'OTHER' } }, 8_000],
  ] as const)('a vendor that %s', async (_name, reply, timeoutMs) => {
    await using setup = await setUp()
    setup.server.scriptSpeech(reply)
    const result = setup.speak('Hi there')
    await setup.server.until(() => setup.server.connections[0]?.commandTypes.includes('Flush') === true)
    await setup.clock.waitForTimer(timeoutMs)
    setup.clock.advance(timeoutMs)
    expect((await result).outcome).toMatchObject({ kind: 'timeout', retryable: true })
    await setup.server.connections[0]?.closed
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })

  test('a connection that the vendor closes just as it is reused is replaced once', async () => {
    await using setup = await setUp()
    await setup.speak('Hi')
    setup.server.scriptSpeech({ kind: 'close', code: 1011 }, { kind: 'normal' })
    expect((await setup.speak('Hi')).outcome).toBe('end')
    expect(setup.server.connections).toHaveLength(2)
    setup.server.scriptSpeech({ kind: 'close', code: 1011 }, { kind: 'close', code: 1011 })
    expect((await setup.speak('Hi')).outcome).toMatchObject({ kind: 'unavailable' })
  })

  test.each(['NO_SYNTHESIZABLE_TEXT', 'NO_ACTIVE_SPEECH'])('%s ends a text at once', async (code) => {
    await using setup = await setUp()
    setup.server.scriptSpeech({ kind: 'message', message: { type: 'Warning', code, description: 'Flush failed.' } })
    expect((await setup.speak('…', { voice: FLUX_VOICE })).outcome).toMatchObject({ kind: 'protocol' })
    const next = await setup.speak('Four five', { voice: FLUX_VOICE })
    expect(next.samples).toEqual(synthesizeTones('Four five', 16_000))
    expect(setup.server.connections).toHaveLength(1)
  })

  test.each(['SYNTHESIS_RETRYING', 'NEW_WARNING'])('%s does not end a text', async (warning) => {
    await using setup = await setUp()
    setup.server.scriptSpeech({ kind: 'normal', warning })
    const { outcome, samples } = await setup.speak('One two', { voice: FLUX_VOICE })
    expect(outcome).toBe('end')
    expect(samples).toEqual(synthesizeTones('One two', 16_000))
  })

  test('endless audio', async () => {
    await using setup = await setUp()
    const result = await setup.speak('a '.repeat(700), { rateHz: 8_000 })
    expect(result.outcome).toMatchObject({ kind: 'protocol' })
    expect(result.samples.length).toBeLessThanOrEqual(240 * 8_000)
  })
})
