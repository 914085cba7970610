import { describe, expect, test } from 'vitest'
import { correlateEnvelopes } from '../../../../../../testing/speech-server/envelope.ts'
import type { SpeechReply } from '../../../../../../testing/speech-server/speech-reply.ts'
import {
  type SpeechServerOptions,
  startSpeechServer,
  synthesizeTones,
} from '../../../../../../testing/speech-server/speech-server.ts'
import { createModelDispatcher } from '../../models/model-dispatcher.ts'
import { createTestClock, TEST_KEY } from '../../models/model-test-kit.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { createOpenAiTranscriber } from './openai-transcriber.ts'

const SENTENCE = 'I need a table'
const SPEECH = synthesizeTones(SENTENCE, 16_000)

async function setUp(options: SpeechServerOptions & { readonly model?: string } = {}) {
  const server = await startSpeechServer({ recognize: () => SENTENCE, ...options })
  const http = createModelDispatcher()
  const clock = createTestClock()
  const { baseUrl } = server
  const { model = 'whisper-1' } = options
  let requestCount = 0
  const countingDispatcher = http.compose((dispatch) => (request, handler) => {
    requestCount += 1
    return dispatch(request, handler)
  })
  const target = { http: countingDispatcher, clock, baseUrl, apiKey: TEST_KEY }
  const transcriber = createOpenAiTranscriber({ ...target, provider: 'openai', model })
  const transcription = openTranscription(transcriber, ['Parley', 'Zürich'])
  return {
    server,
    clock,
    transcriber,
    transcription,
    /** Plays one utterance: silence, speech, and the 200 ms of silence that end it. */
    speak(samples: Int16Array = SPEECH): void {
      transcription.pushSilence(600)
      transcription.session.voiceStarted()
      transcription.push(samples)
      transcription.pushSilence(200)
      transcription.session.voiceEnded()
    },
    /** Number of requests, including requests that were canceled before they arrived. */
    countRequests: () => requestCount,
    getFormFields: () => server.requests.map((request) => (request.kind === 'transcription' ? request.fields : {})),
    async [Symbol.asyncDispose]() {
      transcription.session.close()
      await http.destroy()
      await server.close()
    },
  }
}

describe('an utterance', () => {
  test('is sent as a whole with half a second of pre-roll and returns text and words', async () => {
    await using setup = await setUp()
    setup.speak()
    const received = await setup.transcription.waitForEvents(1)
    expect(received).toEqual([
      {
        type: 'final',
        utteranceId: 'utterance-1',
        text: SENTENCE,
        endOfTurn: null,
        words: SENTENCE.split(' ').map((text) => ({ text, startMs: expect.any(Number), endMs: expect.any(Number) })),
      },
    ])
    // The server spreads the words over the recording. Times are relative to the voice, which starts after 440 ms.
    const recordedMs = 500 + SPEECH.length / 16 + 200
    const lastWord = received.flatMap((event) => (event.type === 'final' ? event.words : [])).at(-1)
    expect(lastWord?.endMs).toBe(Math.round(recordedMs - 380))
    const [receivedAudio] = setup.server.recordings
    expect(receivedAudio?.rateHz).toBe(16_000)
    expect(receivedAudio?.samples).toHaveLength(16_000 * 0.5 + SPEECH.length + 16_000 * 0.2)
    expect(receivedAudio && correlateEnvelopes(receivedAudio, { samples: SPEECH, rateHz: 16_000 })).toBeGreaterThan(
      0.99,
    )
    expect(setup.getFormFields()).toEqual([
      {
        model: 'whisper-1',
        language: 'en',
        prompt: 'Parley, Zürich',
        response_format: 'verbose_json',
        'timestamp_granularities[]': 'word,segment',
      },
    ])
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('is streamed with growing interim texts if the model supports it', async () => {
    await using setup = await setUp({ model: 'gpt-4o-mini-transcribe' })
    setup.server.script({ kind: 'normal', chunkBytes: 40 })
    setup.speak()
    const events = await setup.transcription.waitForEvents(5)
    expect(events.map((event) => event.type !== 'failed' && [event.type, event.text])).toEqual([
      ['interim', 'I'],
      ['interim', 'I need'],
      ['interim', 'I need a'],
      ['interim', SENTENCE],
      ['final', SENTENCE],
    ])
    expect(setup.getFormFields()[0]).toMatchObject({ response_format: 'json', stream: 'true' })
  })

  test('results in an empty final text if it was noise', async () => {
    await using setup = await setUp()
    const segments = [{ no_speech_prob: 0.9, avg_logprob: -1.4 }]
    setup.server.script({ kind: 'json', body: { text: 'Thank you for watching!', segments } })
    setup.speak()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'final', text: '', words: [] }])
  })

  test('has a different ID than the previous utterance', async () => {
    await using setup = await setUp()
    setup.speak()
    await setup.transcription.waitForEvents(1)
    setup.speak()
    const events = await setup.transcription.waitForEvents(2)
    expect(events.map((event) => event.type === 'final' && event.utteranceId)).toEqual(['utterance-1', 'utterance-2'])
  })

  test('is transcribed as a whole if it continues before its text arrives', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'hang' })
    setup.speak()
    await setup.server.received(1)
    setup.transcription.session.voiceStarted()
    setup.transcription.push(SPEECH)
    setup.transcription.pushSilence(200)
    setup.transcription.session.voiceEnded()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'final', utteranceId: 'utterance-1' }])
    await setup.server.abandoned()
    expect(setup.server.recordings[1]?.samples).toHaveLength(16_000 * 0.5 + 2 * (SPEECH.length + 16_000 * 0.2))
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('has an interim text if it continues when its text arrives', async () => {
    await using setup = await setUp()
    setup.speak()
    setup.transcription.session.voiceStarted()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([
      { type: 'interim', utteranceId: 'utterance-1', text: SENTENCE },
    ])
    setup.transcription.push(SPEECH)
    setup.transcription.session.voiceEnded()
    expect((await setup.transcription.waitForEvents(2))[1]).toMatchObject({ type: 'final', utteranceId: 'utterance-1' })
  })

  test('has increasingly rare interim texts while it lasts, one request at a time', async () => {
    await using setup = await setUp()
    setup.transcription.session.voiceStarted()
    for (let round = 1; round <= 3; round += 1) {
      setup.transcription.push(new Int16Array(16_000 * 2.5))
      await setup.transcription.waitForEvents(round)
    }
    expect(setup.transcription.events.every(({ type }) => type === 'interim')).toBe(true)
    setup.server.setReply({ kind: 'hang' })
    setup.transcription.push(new Int16Array(16_000 * 12))
    await setup.server.received(4)
    setup.transcription.push(new Int16Array(16_000 * 12))
    expect(setup.server.requests).toHaveLength(4)
    setup.server.setReply(null)
    setup.transcription.session.voiceEnded()
    expect((await setup.transcription.waitForEvents(4))[3]).toMatchObject({ type: 'final', utteranceId: 'utterance-1' })
  })

  test('is split after a minute, and the second part waits for the text of the first', async () => {
    await using setup = await setUp()
    setup.server.setReply({ kind: 'hang' })
    setup.transcription.session.voiceStarted()
    setup.transcription.push(new Int16Array(16_000 * 59))
    setup.server.setReply(null)
    setup.transcription.push(new Int16Array(16_000 * 2))
    setup.transcription.session.voiceEnded()
    const events = await setup.transcription.waitForEvents(2)
    expect(events).toMatchObject([
      { type: 'final', utteranceId: 'utterance-1', text: SENTENCE },
      { type: 'final', utteranceId: 'utterance-2', text: SENTENCE },
    ])
    // The second part starts where the first was split, without an overlap.
    const lengths = setup.server.recordings.map(({ samples }) => samples.length)
    expect(lengths.slice(-2)).toEqual([16_000 * 60, 16_000])
    setup.speak()
    expect((await setup.transcription.waitForEvents(3))[2]).toMatchObject({ type: 'final', utteranceId: 'utterance-3' })
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('is requested only once after its end, and later speech after a full minute is another utterance', async () => {
    await using setup = await setUp()
    setup.transcription.session.voiceStarted()
    setup.transcription.push(new Int16Array(16_000 * 59.5))
    setup.transcription.session.voiceEnded()
    const requestCount = setup.countRequests()
    setup.transcription.pushSilence(2_000)
    expect(setup.countRequests()).toBe(requestCount)
    setup.transcription.session.voiceStarted()
    setup.transcription.push(new Int16Array(16_000))
    setup.transcription.session.voiceEnded()
    expect(await setup.transcription.waitForEvents(2)).toMatchObject([
      { type: 'final', utteranceId: 'utterance-1' },
      { type: 'final', utteranceId: 'utterance-2' },
    ])
    const lengths = setup.server.recordings.map(({ samples }) => samples.length)
    expect(lengths.slice(-2)).toEqual([16_000 * 59.5, 16_000 * 1.5])
  })
})

describe('a server with few features', () => {
  test('is no longer sent fields that it rejects', async () => {
    await using setup = await setUp({ knowsAllFields: false })
    setup.speak()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'final', text: SENTENCE, words: [] }])
    setup.speak()
    await setup.transcription.waitForEvents(2)
    expect(setup.getFormFields().map((fields) => fields.response_format)).toEqual(['verbose_json', 'json', 'json'])
  })

  test('is asked for words again after it rejected everything for a while', async () => {
    await using setup = await setUp()
    setup.server.setReply({ kind: 'json', status: 404, body: {} })
    setup.speak()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([
      { type: 'failed', failure: { kind: 'rejected' } },
    ])
    setup.server.setReply(null)
    const transcription = openTranscription(setup.transcriber)
    transcription.session.voiceStarted()
    transcription.push(SPEECH)
    transcription.session.voiceEnded()
    expect(await transcription.waitForEvents(1)).toMatchObject([{ type: 'final', text: SENTENCE }])
    expect(setup.getFormFields().map((fields) => fields.response_format)).toEqual([
      'verbose_json',
      'json',
      'verbose_json',
    ])
    transcription.session.close()
  })

  test('is sent no unknown language', async () => {
    await using setup = await setUp()
    const transcription = openTranscription(setup.transcriber, [], { language: 'multi' })
    transcription.session.voiceStarted()
    transcription.push(SPEECH)
    transcription.session.voiceEnded()
    await transcription.waitForEvents(1)
    expect(setup.getFormFields()[0]).not.toHaveProperty('language')
    expect(setup.getFormFields()[0]).not.toHaveProperty('prompt')
    transcription.session.close()
  })
})

const FAULTS: readonly (readonly [string, SpeechReply, string, number])[] = [
  ['a wrong key', { kind: 'wrong-key' }, 'unauthorized', 1],
  ['too many requests', { kind: 'quota', retryAfterSeconds: 7 }, 'rate-limited', 1],
  ['a broken server', { kind: 'json', status: 500, body: {} }, 'unavailable', 2],
  ['an HTML page', { kind: 'html' }, 'protocol', 2],
  ['JSON without a text', { kind: 'json', body: { words: [] } }, 'protocol', 2],
  ['invalid JSON', { kind: 'raw', contentType: 'application/json', body: 'I need a ta' }, 'protocol', 2],
  ['a response that is not HTTP', { kind: 'garbage' }, 'protocol', 2],
  ['a closed connection', { kind: 'refuse' }, 'unavailable', 2],
  ['a reset in the middle of the response', { kind: 'reset', afterBytes: 10 }, 'unavailable', 2],
  ['a half-closed connection', { kind: 'half-close', afterBytes: 10 }, 'unavailable', 2],
  ['10 MB', { kind: 'raw', contentType: 'application/json', body: Buffer.alloc(10 * 1024 * 1024, 'x') }, 'protocol', 2],
]
const STREAMS: readonly (readonly [string, string, string])[] = [
  ['an error in the stream', 'data: {"type":"error","error":{"message":"I need a table"}}\n\n', 'unavailable'],
  ['a stream that ends early', 'data: {"type":"transcript.text.delta","delta":"I"}\n\n', 'protocol'],
  ['garbage in the stream', 'data: {"type"\n\n', 'protocol'],
]

describe('faults', () => {
  test.each(FAULTS)('%s ends the session with one failed event', async (_name, reply, kind, attempts) => {
    await using setup = await setUp()
    setup.server.setReply(reply)
    setup.speak()
    const events = await setup.transcription.waitForEvents(1)
    expect(events).toMatchObject([{ type: 'failed', failure: { kind } }])
    expect(JSON.stringify(events)).not.toMatch(/table|sk-te|127\.0\.0\.1/)
    expect(setup.server.requests).toHaveLength(attempts)
    expect(setup.clock.pendingTimers).toBe(0)
    // Later audio has no effect.
    setup.speak()
    expect(setup.server.requests).toHaveLength(attempts)
  })

  test.each(STREAMS)('%s', async (_name, body, kind) => {
    await using setup = await setUp({ model: 'gpt-4o-transcribe' })
    setup.server.setReply({ kind: 'raw', contentType: 'text/event-stream', body })
    setup.speak()
    while (setup.transcription.events.at(-1)?.type !== 'failed')
      await setup.transcription.waitForEvents(setup.transcription.events.length + 1)
    expect(setup.transcription.events.at(-1)).toMatchObject({ failure: { kind } })
  })

  test('retries once after a broken connection', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'reset', afterBytes: 5 })
    setup.speak()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'final', text: SENTENCE }])
  })

  test('ignores a lost interim text', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'json', status: 503, body: {} })
    setup.transcription.session.voiceStarted()
    setup.transcription.push(new Int16Array(16_000 * 2.5))
    await setup.server.received(1)
    setup.transcription.session.voiceEnded()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'final', text: SENTENCE }])
  })

  test.each([
    ['never responds', { kind: 'hang' }, 5_000],
    ['stalls', { kind: 'stall', afterBytes: 5 }, 3_000],
  ] as const)('times out if a provider %s', async (_name, reply, afterMs) => {
    await using setup = await setUp()
    setup.server.setReply(reply)
    setup.speak()
    await setup.server.received(1)
    await setup.clock.timerSet(afterMs)
    setup.clock.advance(afterMs)
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'failed', failure: { kind: 'timeout' } }])
    await setup.server.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('times out early if a text stalls after its first words', async () => {
    await using setup = await setUp({ model: 'gpt-4o-mini-transcribe' })
    setup.server.script({ kind: 'stall', afterBytes: 130 })
    setup.speak()
    expect(await setup.transcription.waitForEvents(2)).toMatchObject([{ text: 'I' }, { text: 'I need' }])
    await setup.clock.timerSet(1_200)
    setup.clock.advance(1_200)
    expect((await setup.transcription.waitForEvents(3))[2]).toMatchObject({
      type: 'failed',
      failure: { kind: 'timeout' },
    })
    await setup.server.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('closing aborts the request immediately and emits no further events', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'stall', afterBytes: 5 })
    setup.speak()
    await setup.server.received(1)
    setup.transcription.session.close()
    await setup.server.abandoned()
    expect(setup.transcription.events).toEqual([])
    expect(setup.clock.pendingTimers).toBe(0)
  })
})
