import { describe, expect, test } from 'vitest'
import { createSteppedClock } from '../../../../../../testing/tool-server/stepped-clock.ts'
import type { OpenGuardedSocket } from '../../../platform/outbound/guarded-socket.ts'
import { buildSpeechRequest } from '../speech-test-kit.ts'
import { ContextPool } from './context-pool.ts'
import { ContextSocket } from './context-socket.ts'
import { setUpVoice } from './elevenlabs-test-kit.ts'
import { toVoiceChannel } from './speech-messages.ts'

type VoiceSetup = Awaited<ReturnType<typeof setUpVoice>>

const VOICE = { voice: 'slt', model: null, language: 'en-US', rateHz: 16_000 } as const

/** Starts texts that the server speaks only when the test releases them. */
async function speakHeld(setup: VoiceSetup, count: number, signal?: AbortSignal) {
  const previousCount = setup.countTexts()
  setup.server.scriptSpeech(...Array.from({ length: count }, () => ({ kind: 'hold' as const })))
  const results = Array.from({ length: count }, (_, index) =>
    setup.speak(`Text ${index}`, signal === undefined ? {} : { signal }),
  )
  await setup.server.waitFor(() => setup.countTexts() === previousCount + count)
  return results
}

/** Returns the messages of a socket for each context. */
function getContextMessages(setup: VoiceSetup, index = 0): Record<string, readonly unknown[]> {
  const messages = setup.server.connections[index]?.messages ?? []
  return Object.groupBy(messages, ({ context_id: id }) => String(id)) as Record<string, readonly unknown[]>
}

/** Resolves when the client's only socket is open, so that only its idle timer is left. */
async function waitUntilOpen(setup: VoiceSetup): Promise<void> {
  while (setup.clock.timerCount !== 1) await new Promise((resolve) => setImmediate(resolve))
}

const countSockets = ({ server }: VoiceSetup): number => server.connections.length

describe('contexts', () => {
  test('share a socket, one after another and at the same time', async () => {
    await using setup = await setUpVoice()
    for (const text of ['One', 'Two', 'Three', 'Four', 'Five', 'Six'])
      expect((await setup.speak(text)).outcome).toBe('end')
    const results = await Promise.all(['One', 'Two words', 'And three words'].map((text) => setup.speak(text)))
    expect(results.map(({ samples, words }) => [samples.length / 5_600, words.length])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ])
    expect(countSockets(setup)).toBe(1)
    expect(setup.server.problems).toEqual([])
  })

  test('never exceed four on a socket, because a sixth makes the vendor drop all of them', async () => {
    await using setup = await setUpVoice()
    const results = await speakHeld(setup, 9)
    expect(
      setup.server.connections.map((_, index) => Object.keys(getContextMessages(setup, index)).length).sort(),
    ).toEqual([1, 4, 4])
    setup.server.releaseHeld()
    for (const { outcome } of await Promise.all(results)) expect(outcome).toBe('end')
    expect((await setup.speak('Another')).outcome).toBe('end')
    expect(countSockets(setup)).toBe(3)
    expect(setup.server.problems).toEqual([])
  })

  test.each([
    ['voice', { voice: 'other' }],
    ['model', { model: 'eleven_multilingual_v2' }],
    ['rate', { rateHz: 8_000 }],
    ['language', { language: 'de-DE' }],
    // Contexts without settings would inherit those of the socket's first context.
    ['voice settings', { speed: 1.1 }],
  ] as const)('with another %s have another socket', async (_name, overrides) => {
    await using setup = await setUpVoice()
    await setup.speak('One', overrides)
    await setup.speak('Two')
    await setup.speak('Three', overrides)
    expect(countSockets(setup)).toBe(2)
  })
})

test('a 257th socket is not opened', () => {
  const clock = createSteppedClock()
  const openSocket: OpenGuardedSocket = () => new Promise(() => {})
  const pool = new ContextPool({ openSocket, clock, baseUrl: 'wss://127.0.0.1', apiKey: 'xi-0' })
  const sockets = Array.from({ length: 256 }, (_, index) =>
    pool.acquire(toVoiceChannel({ ...VOICE, voice: `voice-${index}` }, 'eleven_flash_v2_5'), null),
  )
  const channel = toVoiceChannel(VOICE, 'eleven_flash_v2_5')
  expect(pool.acquire(channel, null)).toMatchObject({ kind: 'rate-limited', retryable: true })
  expect(clock.timerCount).toBe(256)
  const release = pool.hold(channel)
  expect(clock.timerCount).toBe(256)
  release()
  const [first] = sockets
  if (first instanceof ContextSocket) first.close()
  expect(pool.acquire(channel, null)).toBeInstanceOf(ContextSocket)
})

describe('an abort', () => {
  test('drops the audio and keeps the slot until the vendor has finished the context', async () => {
    await using setup = await setUpVoice()
    const abortController = new AbortController()
    const abandoned = await speakHeld(setup, 4, abortController.signal)
    abortController.abort()
    for (const { events } of await Promise.all(abandoned)) expect(events).toEqual([])
    // All slots are taken until the vendor's last message.
    await setup.speak('Two')
    expect(countSockets(setup)).toBe(2)
    setup.server.releaseHeld()
    const [first] = setup.server.connections
    await setup.speak('Three', { speed: 1.1 })
    await setup.speak('Four')
    expect(first?.messages.at(-1)).toEqual({ context_id: 'context-5', close_context: true })
    expect(setup.server.problems).toEqual([])
  })

  test('closes the context exactly once and sends no text after it', async () => {
    await using setup = await setUpVoice()
    const abortController = new AbortController()
    const [abandoned] = await speakHeld(setup, 1, abortController.signal)
    abortController.abort()
    await abandoned
    await setup.speak('Next')
    expect(getContextMessages(setup)['context-1']).toEqual([
      { text: ' ', context_id: 'context-1' },
      { text: 'Text 0 ', context_id: 'context-1', flush: true },
      { context_id: 'context-1', close_context: true },
    ])
  })

  test('in the middle of the audio ends the stream without an event', async () => {
    await using setup = await setUpVoice()
    const abortController = new AbortController()
    setup.server.scriptSpeech({ kind: 'stall', afterMs: 800 })
    const types: string[] = []
    const request = buildSpeechRequest('One two three', { signal: abortController.signal })
    for await (const event of setup.synthesizer.synthesize(request)) {
      types.push(event.type)
      if (event.type === 'audio') abortController.abort()
    }
    expect(types.filter((type) => type !== 'words')).toEqual(['audio'])
  })

  test('before the socket opens opens no context', async () => {
    await using setup = await setUpVoice()
    expect((await setup.speak('Hi', { signal: AbortSignal.abort() })).events).toEqual([])
    expect(countSockets(setup)).toBe(0)
    expect(setup.clock.timerCount).toBe(0)
  })

  test('retires a socket on which the vendor does not finish the context', async () => {
    await using setup = await setUpVoice()
    const abortController = new AbortController()
    const [abandoned] = await speakHeld(setup, 1, abortController.signal)
    abortController.abort()
    await abandoned
    setup.clock.advance(10_000)
    await setup.server.connections[0]?.closed
    await setup.speak('Two')
    expect(countSockets(setup)).toBe(2)
  })
})

describe('an idle socket', () => {
  test('is closed after 30 seconds', async () => {
    await using setup = await setUpVoice()
    await setup.speak('One')
    setup.clock.advance(29_999)
    await setup.speak('Two')
    setup.clock.advance(30_000)
    expect(await setup.server.connections[0]?.closed).toBe(1000)
    expect(setup.server.connections[0]?.messages.at(-1)).toEqual({ close_socket: true })
    setup.clock.advance(2_000)
    expect(setup.clock.timerCount).toBe(0)
    expect((await setup.speak('Three')).outcome).toBe('end')
    expect(countSockets(setup)).toBe(2)
  })

  test('that the vendor has closed is replaced', async () => {
    await using setup = await setUpVoice()
    await setup.speak('One')
    const [first] = setup.server.connections
    first?.close(1000)
    await first?.closed
    expect((await setup.speak('Two')).outcome).toBe('end')
    expect(countSockets(setup)).toBe(2)
  })
})

describe('a held voice', () => {
  test('has one open socket until it is released, which the first text uses', async () => {
    await using setup = await setUpVoice()
    const release = setup.synthesizer.connect?.(VOICE)
    const releaseOther = setup.synthesizer.connect?.(VOICE)
    await waitUntilOpen(setup)
    setup.clock.advance(100_000)
    await setup.speak('One')
    expect(countSockets(setup)).toBe(1)
    expect(setup.server.connections[0]?.messages).toHaveLength(3)
    release?.()
    release?.()
    setup.clock.advance(30_000)
    expect((await setup.speak('Two')).outcome).toBe('end')
    expect(countSockets(setup)).toBe(1)
    releaseOther?.()
    setup.clock.advance(30_000)
    await setup.server.connections[0]?.closed
    setup.clock.advance(2_000)
    expect(setup.clock.timerCount).toBe(0)
  })

  test('has a new socket when the vendor closes an old one, but not a new one', async () => {
    await using setup = await setUpVoice()
    const release = setup.synthesizer.connect?.(VOICE)
    await waitUntilOpen(setup)
    setup.clock.advance(5_000)
    setup.server.connections[0]?.close(1000)
    await setup.server.waitFor(() => countSockets(setup) === 2)
    // Expires the closing timer of the first socket.
    setup.clock.advance(2_000)
    await waitUntilOpen(setup)
    setup.server.connections[1]?.close(1000)
    await setup.server.connections[1]?.closed
    expect((await setup.speak('One')).outcome).toBe('end')
    expect(countSockets(setup)).toBe(3)
    release?.()
  })
})

describe('a voice without contexts', () => {
  test.each<[string, (setup: VoiceSetup) => void]>([
    ['rejects the handshake', ({ server }) => server.refusedPaths.set('/multi-stream-input', 400)],
    ['does not know the path', ({ server }) => server.refusedPaths.set('/multi-stream-input', 404)],
    [
      'names the model',
      ({ server }) =>
        server.scriptSpeech({ kind: 'messages', messages: [{ error: 'unsupported_model', contextId: undefined }] }),
    ],
    ['closes the socket', ({ server }) => server.scriptSpeech({ kind: 'messages', messages: [], code: 1008 })],
  ])('is spoken by stream-input, one socket per text, if the vendor %s', async (_name, refuse) => {
    await using setup = await setUpVoice()
    refuse(setup)
    expect((await setup.speak('One two')).words).toHaveLength(2)
    expect((await setup.speak('Three', { speed: 1.1 })).outcome).toBe('end')
    const singleConnections = setup.server.connections.filter(({ path }) => path.endsWith('/stream-input'))
    expect(singleConnections.map(({ messages }) => messages)).toEqual([
      [{ text: ' ' }, { text: 'One two ', flush: true }, { text: '' }],
      [
        { text: ' ', voice_settings: { stability: 0.5, similarity_boost: 0.75, speed: 1.1 } },
        { text: 'Three ', flush: true },
        { text: '' },
      ],
    ])
    expect(countSockets(setup) - singleConnections.length).toBeLessThanOrEqual(1)
    expect(setup.server.problems).toEqual([])
  })

  test('closes its socket on abort', async () => {
    await using setup = await setUpVoice()
    setup.server.refusedPaths.set('/multi-stream-input', 404)
    const abortController = new AbortController()
    const [abandoned] = await speakHeld(setup, 1, abortController.signal)
    abortController.abort()
    await abandoned
    expect(await setup.server.connections[0]?.closed).toBe(1000)
  })

  test('is held by a stream-input socket', async () => {
    await using setup = await setUpVoice()
    setup.server.refusedPaths.set('/multi-stream-input', 404)
    const release = setup.synthesizer.connect?.(VOICE)
    await setup.server.waitFor(() => countSockets(setup) === 1)
    await setup.speak('One')
    expect(countSockets(setup)).toBe(1)
    release?.()
  })

  test('fails if stream-input is refused too', async () => {
    await using setup = await setUpVoice()
    setup.server.refusedPaths.set('/multi-stream-input', 404).set('/stream-input', 404)
    expect((await setup.speak('One')).outcome).toMatchObject({ kind: 'rejected', retryable: false })
    expect(setup.clock.timerCount).toBe(0)
  })
})
