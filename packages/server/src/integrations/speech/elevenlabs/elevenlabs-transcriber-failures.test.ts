import { describe, expect, test } from 'vitest'
import { openTranscription } from '../speech-test-kit.ts'
import { setUpElevenLabs } from './elevenlabs-test-kit.ts'
import { createElevenLabsTranscriber } from './elevenlabs-transcriber.ts'
import {
  getTexts,
  getWords,
  reconnect,
  type ScribeSetup,
  SENTENCE,
  SPEECH,
  SPEECH_WORDS,
  setUpScribe,
  waitUntilFailed,
  waitUntilSettled,
} from './scribe-test-kit.ts'

describe('a lost connection', () => {
  test('is replaced, and the audio without final text is sent again', async () => {
    await using setup = await setUpScribe()
    setup.speak()
    await setup.transcription.waitForEvents(1)
    setup.server.scriptScribe({ kind: 'drop' })
    setup.speak()
    await setup.server.connections[0]?.closed
    await reconnect(setup, 50, 2)
    const [, final] = await setup.transcription.waitForEvents(2)
    expect(final).toMatchObject({ type: 'final', utteranceId: 'utterance-2', text: SENTENCE })
    expect(getWords(final)).toEqual(SPEECH_WORDS)
    const audio = setup.getAudio(1)
    expect(audio.subarray(0, SPEECH.length)).toEqual(SPEECH)
    expect(setup.countCommits(1)).toBe(1)
  })

  test('in the middle of speech loses nothing, including what is said before the next connection', async () => {
    await using setup = await setUpScribe()
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

  test('sends the last 15 seconds again, or only the last second of a silent call', async () => {
    await using setup = await setUpScribe()
    const { server, transcription } = setup
    transcription.pushSilence(10_000)
    await server.waitFor(() => setup.countSeconds() === 10)
    server.connections[0]?.drop()
    await reconnect(setup, 50, 2)
    transcription.session.voiceStarted()
    for (const seconds of [10, 20]) {
      transcription.pushSilence(10_000)
      await server.waitFor(() => setup.countSeconds(1) === seconds + 1)
    }
    server.connections[1]?.drop()
    await reconnect(setup, 500, 3)
    transcription.session.voiceEnded()
    await server.waitFor(() => setup.countCommits(2) === 1)
    expect(setup.countSeconds(2)).toBe(15)
    // A chunk of 500 ms in base64. The vendor rejects chunks that are too large.
    expect(Math.max(...setup.getChunks(2).map((chunk) => String(chunk.audio_base_64).length))).toBe(21_336)
  })

  test('is replaced twice, then the session fails', async () => {
    await using setup = await setUpScribe()
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

  test.each<[string, (setup: ScribeSetup) => Promise<unknown>]>([
    [
      'a text',
      ({ speak, transcription }) => {
        speak()
        return transcription.waitForEvents(1)
      },
    ],
    ['30 seconds', async ({ clock }) => clock.advance(30_000)],
  ])('is replaced at once again after %s', async (_name, pass) => {
    await using setup = await setUpScribe()
    await setup.server.waitFor(() => setup.server.connections.length === 1)
    setup.server.connections[0]?.drop()
    await reconnect(setup, 50, 2)
    await waitUntilSettled(setup)
    await pass(setup)
    setup.server.connections[1]?.drop()
    await reconnect(setup, 50, 3)
  })

  test('after a committed text keeps the text', async () => {
    await using setup = await setUpScribe()
    setup.server.scriptScribe({ kind: 'transcript', timestamps: 'none' })
    setup.speak()
    await setup.clock.waitForTimer(150)
    setup.server.connections[0]?.drop()
    expect(getTexts(await setup.transcription.waitForEvents(1))).toEqual([`final ${SENTENCE}`])
    await reconnect(setup, 50, 2)
    // The same words in the next utterance are not a repetition of the text.
    setup.server.scriptScribe({ kind: 'transcript', timestamps: 'alone' })
    setup.speak()
    expect((await setup.transcription.waitForEvents(2))[1]).toMatchObject({ type: 'final', utteranceId: 'utterance-2' })
    expect(setup.countCommits(1)).toBe(1)
  })

  test.each([
    ['does not answer a commit', 1_500, { kind: 'silence' }],
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
    await using setup = await setUpScribe()
    setup.server.scriptScribe(reply)
    setup.speak()
    await setup.waitForCommits(1)
    if (timeoutMs > 0) setup.clock.advance(timeoutMs)
    await reconnect(setup, 50, 2)
    expect(getTexts(await setup.transcription.waitForEvents(1))).toEqual([`final ${SENTENCE}`])
  })

  test('is replaced if the session does not start', async () => {
    await using setup = await setUpScribe()
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
    await using setup = await setUpScribe()
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
    await using setup = await setUpScribe()
    const reply = { kind: 'messages', messages: [{ message_type: type }] } as const
    setup.server.scriptScribe(reply, reply, reply)
    setup.speak()
    expect(await waitUntilFailed(setup)).toMatchObject({ failure: { kind, retryable: true } })
    expect(setup.server.connections).toHaveLength(3)
  })

  test('unknown messages are ignored, garbage is a protocol failure', async () => {
    await using setup = await setUpScribe()
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
