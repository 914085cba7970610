import type { TranscriberEvent } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import type { ElevenLabsServerOptions } from '../../../../../../testing/elevenlabs-server/elevenlabs-server.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { ELEVENLABS_TEST_KEY, setUpElevenLabs } from './elevenlabs-test-kit.ts'
import { createElevenLabsTranscriber } from './elevenlabs-transcriber.ts'

const SENTENCE = 'I need a table'
/** Four words of 350 ms, of which the last 100 ms are silent. */
const SPEECH = synthesizeTones(SENTENCE, 16_000)

async function setUp(options: ElevenLabsServerOptions & { readonly keywords?: readonly string[] } = {}) {
  const setup = await setUpElevenLabs({ recognize: () => SENTENCE, ...options })
  const transcriber = createElevenLabsTranscriber(setup.target)
  const transcription = openTranscription(transcriber, options.keywords)
  const { server } = setup
  const getChunks = (index = 0) => server.connections[index]?.messages ?? []
  return {
    ...setup,
    transcriber,
    transcription,
    getChunks,
    /** Says an utterance: speech, which is detected after 60 ms, and the 200 ms of silence that end it. */
    speak(samples: Int16Array = SPEECH): void {
      transcription.push(samples.subarray(0, 960))
      transcription.session.voiceStarted()
      transcription.push(samples.subarray(960))
      transcription.pushSilence(200)
      transcription.session.voiceEnded()
    },
    getAudio(index = 0): Int16Array {
      const bytes = Buffer.concat(getChunks(index).map((chunk) => Buffer.from(String(chunk.audio_base_64), 'base64')))
      return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
    },
    countSeconds: (index = 0) =>
      getChunks(index).reduce((sum, chunk) => sum + Buffer.byteLength(String(chunk.audio_base_64), 'base64'), 0) /
      32_000,
    countCommits: (index = 0) => getChunks(index).filter(({ commit }) => commit === true).length,
    /** Resolves when the server has received everything that was sent before. */
    waitForCommits: (count: number, index = 0) =>
      server.waitFor(() => getChunks(index).filter(({ commit }) => commit === true).length >= count),
    async [Symbol.asyncDispose]() {
      transcription.session.close()
      await server.close()
    },
  }
}

type TestSetup = Awaited<ReturnType<typeof setUp>>

const getTexts = (events: readonly TranscriberEvent[]) =>
  events.map((event) => (event.type === 'failed' ? event.failure.kind : `${event.type} ${event.text}`))

async function waitUntilFailed({ transcription, clock }: TestSetup): Promise<TranscriberEvent | undefined> {
  while (transcription.events.at(-1)?.type !== 'failed') {
    await new Promise((resolve) => setImmediate(resolve))
    clock.advance(10)
  }
  return transcription.events.at(-1)
}

/** Resolves when only the keepalive timer is left: the session has started, and no commit is pending. */
async function waitUntilSettled({ clock }: TestSetup): Promise<void> {
  while (clock.timerCount !== 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Advances to the attempt to reconnect and waits for the connection. */
async function reconnect({ clock, server }: TestSetup, delayMs: number, count: number): Promise<void> {
  await clock.waitForTimer(delayMs)
  clock.advance(delayMs)
  await server.waitFor(() => server.connections.length === count)
}

describe('a session', () => {
  test('is opened with the rate, the language, manual commits and valid keyterms', async () => {
    const keywords = [
      'Parley',
      ' Zürich ',
      'Parley',
      '',
      'x'.repeat(21),
      ...Array.from({ length: 60 }, (_, index) => `w${index}`),
    ]
    await using setup = await setUp({ keywords })
    await setup.server.waitFor(() => setup.server.connections.length === 1)
    const [connection] = setup.server.connections
    expect(connection?.path).toBe('/v1/speech-to-text/realtime')
    expect(connection?.headers['xi-api-key']).toBe(ELEVENLABS_TEST_KEY)
    const { keyterms: _, ...query } = Object.fromEntries(connection?.query ?? [])
    expect(query).toEqual({
      model_id: 'scribe_v2_realtime',
      audio_format: 'pcm_16000',
      commit_strategy: 'manual',
      include_timestamps: 'true',
      language_code: 'en',
    })
    const keyterms = connection?.query.getAll('keyterms')
    expect(keyterms?.slice(0, 3)).toEqual(['Parley', 'Zürich', 'w0'])
    expect(keyterms).toHaveLength(50)
    expect([setup.transcriber.name, setup.transcriber.finalP99Ms]).toEqual(['elevenlabs/scribe_v2_realtime', 410])
  })

  test('detects the language if it has no code', async () => {
    await using setup = await setUpElevenLabs()
    const { session } = openTranscription(createElevenLabsTranscriber(setup.target), [], 'multi')
    await setup.server.waitFor(() => setup.server.connections.length === 1)
    expect(setup.server.connections[0]?.query.has('language_code')).toBe(false)
    session.close()
  })

  test('sends all audio in groups and commits at the end of voice, without delay', async () => {
    await using setup = await setUp()
    setup.transcription.pushSilence(500)
    setup.speak()
    await setup.waitForCommits(1)
    const chunks = setup.getChunks()
    // 500 ms, 1400 ms and 200 ms in groups of 80 ms.
    expect(chunks).toHaveLength(Math.ceil(2_100 / 80) + 1)
    expect(chunks.at(-1)).toEqual({
      message_type: 'input_audio_chunk',
      audio_base_64: '',
      commit: true,
      sample_rate: 16_000,
    })
    expect(chunks.slice(0, -1).every(({ commit }) => commit === false)).toBe(true)
    const audio = setup.getAudio()
    expect(audio).toHaveLength(2_100 * 16)
    expect(audio.subarray(8_000, 8_000 + SPEECH.length)).toEqual(SPEECH)
  })

  test('is kept alive with silence if the call delivers no frames', async () => {
    await using setup = await setUp()
    await waitUntilSettled(setup)
    setup.clock.advance(5_000)
    await setup.server.waitFor(() => setup.getChunks().length === 1)
    expect(setup.getAudio()).toEqual(new Int16Array(1_280))
  })

  test('emits nothing after it is closed, and releases its timers', async () => {
    await using setup = await setUp()
    setup.speak()
    await setup.waitForCommits(1)
    setup.transcription.session.close()
    await setup.server.connections[0]?.closed
    setup.transcription.push(SPEECH)
    setup.clock.advance(2_000)
    expect(setup.transcription.events).toEqual([])
    expect(setup.clock.timerCount).toBe(0)
  })
})

describe('an utterance', () => {
  test('has interim texts and a final text with words from the start of the voice', async () => {
    await using setup = await setUp()
    setup.transcription.pushSilence(1_000)
    await setup.server.waitFor(() => setup.server.connections.length === 1)
    const [connection] = setup.server.connections
    for (const text of ['I need', 'I need', '']) connection?.sendJson({ message_type: 'partial_transcript', text })
    connection?.sendJson({ message_type: 'final_transcript', text: 'I need a' })
    await setup.transcription.waitForEvents(2)
    setup.speak()
    const [, , final] = await setup.transcription.waitForEvents(3)
    const id = 'utterance-1'
    expect(setup.transcription.events.slice(0, 2)).toEqual([
      { type: 'interim', utteranceId: id, text: 'I need', stable: false },
      { type: 'interim', utteranceId: id, text: 'I need a', stable: true },
    ])
    expect(final).toMatchObject({ type: 'final', utteranceId: id, text: SENTENCE, endOfTurn: null })
    const words = final?.type === 'final' ? final.words : []
    expect(words.map(({ text }) => text)).toEqual(['I', 'need', 'a', 'table'])
    expect(words[0]?.startMs).toBeLessThan(5)
    expect(Math.abs((words[3]?.endMs ?? 0) - 1_300)).toBeLessThan(5)
  })

  test.each(['session', 'segment'] as const)(
    'has word times from its voice if they count from the %s',
    async (timesFrom) => {
      await using setup = await setUp()
      setup.server.scriptScribe({ kind: 'transcript', timesFrom }, { kind: 'transcript', timesFrom })
      setup.speak()
      await setup.transcription.waitForEvents(1)
      setup.transcription.pushSilence(4_000)
      setup.speak()
      const [, final] = await setup.transcription.waitForEvents(2)
      expect(final).toMatchObject({ type: 'final', utteranceId: 'utterance-2' })
      const starts = final?.type === 'final' ? final.words.map(({ startMs }) => startMs) : []
      expect(starts).toHaveLength(4)
      for (const [index, startMs] of starts.entries()) expect(Math.abs(startMs - index * 325)).toBeLessThan(5)
    },
  )

  test.each(['after', 'before', 'alone'] as const)(
    'has one final text if its timestamps come %s',
    async (timestamps) => {
      await using setup = await setUp()
      const reply = { kind: 'transcript', timestamps } as const
      setup.server.scriptScribe(reply, reply)
      setup.speak()
      await setup.transcription.waitForEvents(1)
      setup.speak()
      await setup.transcription.waitForEvents(2)
      await setup.server.connections[0]?.sendJson({ message_type: 'partial_transcript', text: 'More' })
      const events = await setup.transcription.waitForEvents(3)
      expect(getTexts(events)).toEqual([`final ${SENTENCE}`, `final ${SENTENCE}`, 'interim More'])
      for (const event of events.slice(0, 2)) expect(event.type === 'final' && event.words).toHaveLength(4)
    },
  )

  test('has a final text without words if its timestamps are late', async () => {
    await using setup = await setUp()
    setup.server.scriptScribe({ kind: 'transcript', timestamps: 'none' })
    setup.speak()
    await setup.clock.waitForTimer(150)
    setup.clock.advance(150)
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'final', text: SENTENCE, words: [] }])
    const [connection] = setup.server.connections
    connection?.sendJson({ message_type: 'committed_transcript_with_timestamps', text: SENTENCE, words: [] })
    connection?.sendJson({ message_type: 'partial_transcript', text: 'Next' })
    expect((await setup.transcription.waitForEvents(2))[1]).toMatchObject({ utteranceId: 'utterance-2', text: 'Next' })
  })

  test('of the same words twice has two final texts', async () => {
    await using setup = await setUp()
    const reply = { kind: 'transcript', text: 'Yes.' } as const
    setup.server.scriptScribe(reply, reply)
    setup.speak()
    setup.speak()
    const events = await setup.transcription.waitForEvents(2)
    expect(events).toMatchObject([{ utteranceId: 'utterance-1' }, { utteranceId: 'utterance-2' }])
  })

  test.each([
    ['noise', { kind: 'transcript', text: '' }],
    ['too quiet', { kind: 'messages', messages: [{ message_type: 'insufficient_audio_activity', error: 'Quiet' }] }],
  ] as const)('has an empty final text if it is %s', async (_name, reply) => {
    await using setup = await setUp()
    setup.server.scriptScribe(reply)
    setup.speak()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'final', text: '', words: [] }])
    setup.speak()
    expect((await setup.transcription.waitForEvents(2))[1]).toMatchObject({ text: SENTENCE })
  })

  test('that is very short is committed once 300 ms of audio were sent', async () => {
    await using setup = await setUp()
    setup.transcription.session.voiceStarted()
    setup.transcription.pushSilence(240)
    setup.transcription.session.voiceEnded()
    setup.transcription.pushSilence(40)
    await setup.server.waitFor(() => setup.getChunks().length === 3)
    expect(setup.countCommits()).toBe(0)
    setup.transcription.pushSilence(20)
    await setup.waitForCommits(1)
    expect(setup.getAudio()).toHaveLength(300 * 16)
  })

  test('is committed again if the vendor rejects the commit, but not forever', async () => {
    await using setup = await setUp()
    const throttled = { kind: 'messages', messages: [{ message_type: 'commit_throttled', error: 'Too soon' }] } as const
    setup.server.scriptScribe(throttled, throttled)
    setup.speak()
    for (const count of [1, 2, 3]) {
      await setup.waitForCommits(count)
      await waitUntilSettled(setup)
      setup.transcription.pushSilence(300)
    }
    const [final] = await setup.transcription.waitForEvents(1)
    expect(final).toMatchObject({ type: 'final', text: SENTENCE })
    expect(setup.transcription.events).toHaveLength(1)
  })

  test('that the vendor commits on its own is final, and silence that it commits is ignored', async () => {
    await using setup = await setUp()
    setup.transcription.pushSilence(1_000)
    await setup.server.waitFor(() => setup.getChunks().length === 12)
    const [connection] = setup.server.connections
    for (const text of ['', 'Good morning'])
      connection?.sendJson({
        message_type: 'committed_transcript_with_timestamps',
        text,
        words: [{ text: 'Good', start: 0.1, end: 0.2 }],
      })
    expect(getTexts(await setup.transcription.waitForEvents(1))).toEqual(['final Good morning'])
  })
})

describe('a lost connection', () => {
  test('is replaced, and the audio without final text is sent again', async () => {
    await using setup = await setUp()
    setup.speak()
    await setup.transcription.waitForEvents(1)
    setup.server.scriptScribe({ kind: 'drop' })
    setup.speak()
    await setup.server.connections[0]?.closed
    await reconnect(setup, 50, 2)
    const [, final] = await setup.transcription.waitForEvents(2)
    expect(final).toMatchObject({ type: 'final', utteranceId: 'utterance-2', text: SENTENCE })
    expect(final?.type === 'final' && Math.abs((final.words[0]?.startMs ?? 9_999) - 0)).toBeLessThan(5)
    const audio = setup.getAudio(1)
    expect(audio.subarray(0, SPEECH.length)).toEqual(SPEECH)
    expect(setup.countCommits(1)).toBe(1)
  })

  test('in the middle of speech loses nothing, including what is said before the next connection', async () => {
    await using setup = await setUp()
    setup.transcription.session.voiceStarted()
    setup.transcription.push(SPEECH)
    await setup.server.waitFor(() => setup.getChunks().length > 10)
    setup.server.connections[0]?.drop()
    await setup.clock.waitForTimer(50)
    setup.transcription.push(SPEECH)
    setup.transcription.session.voiceEnded()
    await reconnect(setup, 50, 2)
    await setup.transcription.waitForEvents(1)
    expect(setup.getAudio(1)).toHaveLength(SPEECH.length * 2)
    expect(setup.countCommits(1)).toBe(1)
  })

  test('sends at most about 15 seconds again, and only the latest audio of a silent call', async () => {
    await using setup = await setUp()
    const { server, transcription } = setup
    transcription.pushSilence(10_000)
    await server.waitFor(() => setup.countSeconds() === 10)
    server.connections[0]?.drop()
    await reconnect(setup, 50, 2)
    transcription.session.voiceStarted()
    for (const seconds of [10, 20]) {
      transcription.pushSilence(10_000)
      await server.waitFor(() => setup.countSeconds(1) >= seconds + 1)
    }
    expect(setup.countSeconds(1)).toBeLessThanOrEqual(23)
    server.connections[1]?.drop()
    await reconnect(setup, 500, 3)
    await server.waitFor(() => setup.countSeconds(2) >= 15)
    expect(setup.countSeconds(2)).toBeLessThanOrEqual(17)
  })

  test('is replaced twice, then the session fails', async () => {
    await using setup = await setUp()
    for (const [index, delayMs] of [50, 500].entries()) {
      await setup.server.waitFor(() => setup.server.connections.length === index + 1)
      setup.server.connections[index]?.drop()
      await reconnect(setup, delayMs, index + 2)
    }
    setup.server.connections[2]?.drop()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([
      { type: 'failed', failure: { kind: 'unavailable', retryable: true } },
    ])
    setup.clock.advance(2_000)
    expect(setup.clock.timerCount).toBe(0)
  })

  test('after a committed text keeps the text', async () => {
    await using setup = await setUp()
    setup.server.scriptScribe({ kind: 'transcript', timestamps: 'none' })
    setup.speak()
    await setup.clock.waitForTimer(150)
    setup.server.connections[0]?.drop()
    expect(getTexts(await setup.transcription.waitForEvents(1))).toEqual([`final ${SENTENCE}`])
    await reconnect(setup, 50, 2)
    setup.speak()
    await setup.transcription.waitForEvents(2)
    expect(setup.countCommits(1)).toBe(1)
  })

  test.each([
    ['does not answer a commit', 4_000, { kind: 'silence' }],
    [
      'ends the session after its time limit',
      0,
      { kind: 'messages', messages: [{ message_type: 'session_time_limit_exceeded' }] },
    ],
    [
      'has an internal error',
      0,
      { kind: 'messages', messages: [{ message_type: 'transcriber_error', error: SENTENCE }] },
    ],
    ['drops audio', 0, { kind: 'messages', messages: [{ message_type: 'queue_overflow' }] }],
  ] as const)('is replaced if the vendor %s', async (_name, timeoutMs, reply) => {
    await using setup = await setUp()
    setup.server.scriptScribe(reply)
    setup.speak()
    await setup.waitForCommits(1)
    if (timeoutMs > 0) setup.clock.advance(timeoutMs)
    await reconnect(setup, 50, 2)
    expect(getTexts(await setup.transcription.waitForEvents(1))).toEqual([`final ${SENTENCE}`])
  })

  test('is replaced if the session does not start', async () => {
    await using setup = await setUp()
    setup.server.startsSessions = false
    await setup.server.waitFor(() => setup.server.connections.length === 1)
    setup.server.startsSessions = true
    // The socket's own deadline is shorter and ends once the socket is open.
    while (setup.clock.timerCount > 2) await new Promise((resolve) => setImmediate(resolve))
    setup.clock.advance(8_000)
    await reconnect(setup, 50, 2)
  })
})

describe('a failure', () => {
  test.each([
    ['auth_error', 'unauthorized', false],
    ['quota_exceeded', 'rejected', false],
    ['unaccepted_terms', 'rejected', false],
    ['rate_limited', 'rate-limited', true],
    ['resource_exhausted', 'rate-limited', true],
    ['input_error', 'rejected', false],
    ['invalid_request', 'rejected', false],
    ['chunk_size_exceeded', 'rejected', false],
  ])('%s is %s', async (type, kind, retryable) => {
    await using setup = await setUp()
    setup.server.scriptScribe({ kind: 'messages', messages: [{ message_type: type, error: `${SENTENCE} xi-0` }] })
    setup.speak()
    const [event] = await setup.transcription.waitForEvents(1)
    expect(event).toMatchObject({ type: 'failed', failure: { kind, retryable } })
    expect(JSON.stringify(event)).not.toMatch(/table|xi-0/)
    setup.clock.advance(2_000)
    expect(setup.clock.timerCount).toBe(0)
  })

  test.each([
    ['error', 'unavailable'],
    ['transcriber_error', 'unavailable'],
  ])('%s is reported after two attempts to reconnect', async (type, kind) => {
    await using setup = await setUp()
    const reply = { kind: 'messages', messages: [{ message_type: type }] } as const
    setup.server.scriptScribe(reply, reply, reply)
    setup.speak()
    expect(await waitUntilFailed(setup)).toMatchObject({ failure: { kind, retryable: true } })
    expect(setup.server.connections).toHaveLength(3)
  })

  test('unknown messages are ignored, garbage is a protocol failure', async () => {
    await using setup = await setUp()
    await setup.server.waitFor(() => setup.server.connections.length === 1)
    for (const type of ['committed_transcript_entities', 'edited_transcript', 5])
      setup.server.connections[0]?.sendJson({ message_type: type, text: 'Hi' })
    setup.speak()
    await setup.transcription.waitForEvents(1)
    for (const data of ['garbage', Buffer.from([1]), '[]']) {
      const index = setup.server.connections.length - 1
      setup.server.connections[index]?.send(data)
      if (data === '[]') break
      await reconnect(setup, index === 0 ? 50 : 500, index + 2)
    }
    expect(await waitUntilFailed(setup)).toMatchObject({ failure: { kind: 'protocol' } })
    expect(getTexts(setup.transcription.events)).toEqual([`final ${SENTENCE}`, 'protocol'])
  })

  test.each([
    ['a wrong key', { apiKey: 'other' }, 'unauthorized'],
    ['a rejected handshake', {}, 'rejected'],
  ])('%s', async (_name, options, kind) => {
    const vendor = await setUpElevenLabs(options)
    await using server = vendor.server
    if (kind === 'rejected') server.refusedPaths.set('/realtime', 404)
    const transcription = openTranscription(createElevenLabsTranscriber(vendor.target))
    transcription.push(SPEECH)
    expect(await transcription.waitForEvents(1)).toMatchObject([{ failure: { kind, retryable: false } }])
    expect(vendor.clock.timerCount).toBe(0)
  })
})
