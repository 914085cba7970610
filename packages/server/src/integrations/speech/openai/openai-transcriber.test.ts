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
  let sent = 0
  const counted = http.compose((dispatch) => (request, handler) => {
    sent += 1
    return dispatch(request, handler)
  })
  const target = { http: counted, clock, baseUrl, apiKey: TEST_KEY }
  const transcriber = createOpenAiTranscriber({ ...target, provider: 'openai', model })
  const transcription = openTranscription(transcriber, ['Parley', 'Zürich'])
  return {
    server,
    clock,
    transcriber,
    transcription,
    /** One utterance: silence, speech, and the 200 ms of silence that end it. */
    say(samples: Int16Array = SPEECH): void {
      transcription.silence(600)
      transcription.session.voiceStarted()
      transcription.push(samples)
      transcription.silence(200)
      transcription.session.voiceEnded()
    },
    /** Requests so far, those that were given up before they came included. */
    sent: () => sent,
    fields: () => server.requests.map((request) => (request.kind === 'transcription' ? request.fields : {})),
    async [Symbol.asyncDispose]() {
      transcription.session.close()
      await http.destroy()
      await server.close()
    },
  }
}

describe('an utterance', () => {
  test('is sent whole, with half a second from before it, and its text comes with words', async () => {
    await using setup = await setUp()
    setup.say()
    const received = await setup.transcription.heard(1)
    expect(received).toEqual([
      {
        type: 'final',
        utteranceId: 'utterance-1',
        text: SENTENCE,
        endOfTurn: null,
        words: SENTENCE.split(' ').map((text) => ({ text, startMs: expect.any(Number), endMs: expect.any(Number) })),
      },
    ])
    // Its server spreads the words over the recording; they are timed from the voice, 440 ms into it.
    const recordedMs = 500 + SPEECH.length / 16 + 200
    const last = received.flatMap((event) => (event.type === 'final' ? event.words : [])).at(-1)
    expect(last?.endMs).toBe(Math.round(recordedMs - 440))
    const [heard] = setup.server.heard
    expect(heard?.rateHz).toBe(16_000)
    expect(heard?.samples).toHaveLength(16_000 * 0.5 + SPEECH.length + 16_000 * 0.2)
    expect(heard && correlateEnvelopes(heard, { samples: SPEECH, rateHz: 16_000 })).toBeGreaterThan(0.99)
    expect(setup.fields()).toEqual([
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

  test('streams where the model can: the text grows, then it is final', async () => {
    await using setup = await setUp({ model: 'gpt-4o-mini-transcribe' })
    setup.server.script({ kind: 'normal', chunkBytes: 40 })
    setup.say()
    const events = await setup.transcription.heard(5)
    expect(events.map((event) => event.type !== 'failed' && [event.type, event.text])).toEqual([
      ['interim', 'I'],
      ['interim', 'I need'],
      ['interim', 'I need a'],
      ['interim', SENTENCE],
      ['final', SENTENCE],
    ])
    expect(setup.fields()[0]).toMatchObject({ response_format: 'json', stream: 'true' })
  })

  test('that was noise is an empty final', async () => {
    await using setup = await setUp()
    const segments = [{ no_speech_prob: 0.9, avg_logprob: -1.4 }]
    setup.server.script({ kind: 'json', body: { text: 'Thank you for watching!', segments } })
    setup.say()
    expect(await setup.transcription.heard(1)).toMatchObject([{ type: 'final', text: '', words: [] }])
  })

  test('follows another one with a different id', async () => {
    await using setup = await setUp()
    setup.say()
    await setup.transcription.heard(1)
    setup.say()
    const events = await setup.transcription.heard(2)
    expect(events.map((event) => event.type === 'final' && event.utteranceId)).toEqual(['utterance-1', 'utterance-2'])
  })

  test('that continues before its text arrives is transcribed as a whole', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'hang' })
    setup.say()
    await setup.server.received(1)
    setup.transcription.session.voiceStarted()
    setup.transcription.push(SPEECH)
    setup.transcription.silence(200)
    setup.transcription.session.voiceEnded()
    expect(await setup.transcription.heard(1)).toMatchObject([{ type: 'final', utteranceId: 'utterance-1' }])
    await setup.server.abandoned()
    expect(setup.server.heard[1]?.samples).toHaveLength(16_000 * 0.5 + 2 * (SPEECH.length + 16_000 * 0.2))
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('that continues while its text arrives is an interim one', async () => {
    await using setup = await setUp()
    setup.say()
    setup.transcription.session.voiceStarted()
    expect(await setup.transcription.heard(1)).toMatchObject([
      { type: 'interim', utteranceId: 'utterance-1', text: SENTENCE },
    ])
    setup.transcription.push(SPEECH)
    setup.transcription.session.voiceEnded()
    expect((await setup.transcription.heard(2))[1]).toMatchObject({ type: 'final', utteranceId: 'utterance-1' })
  })

  test('that is long is understood while it lasts, one request at a time and ever more rarely', async () => {
    await using setup = await setUp()
    setup.transcription.session.voiceStarted()
    for (let round = 1; round <= 3; round += 1) {
      setup.transcription.push(new Int16Array(16_000 * 2.5))
      await setup.transcription.heard(round)
    }
    expect(setup.transcription.events.every(({ type }) => type === 'interim')).toBe(true)
    setup.server.setReply({ kind: 'hang' })
    setup.transcription.push(new Int16Array(16_000 * 12))
    await setup.server.received(4)
    setup.transcription.push(new Int16Array(16_000 * 12))
    expect(setup.server.requests).toHaveLength(4)
    setup.server.setReply(null)
    setup.transcription.session.voiceEnded()
    expect((await setup.transcription.heard(4))[3]).toMatchObject({ type: 'final', utteranceId: 'utterance-1' })
  })

  test('that does not end is cut after a minute, and what follows waits for its text', async () => {
    await using setup = await setUp()
    setup.server.setReply({ kind: 'hang' })
    setup.transcription.session.voiceStarted()
    setup.transcription.push(new Int16Array(16_000 * 59))
    setup.server.setReply(null)
    setup.transcription.push(new Int16Array(16_000 * 2))
    setup.transcription.session.voiceEnded()
    const events = await setup.transcription.heard(2)
    expect(events).toMatchObject([
      { type: 'final', utteranceId: 'utterance-1', text: SENTENCE },
      { type: 'final', utteranceId: 'utterance-2', text: SENTENCE },
    ])
    // What follows begins where the first was cut: nothing stands in both.
    const lengths = setup.server.heard.map(({ samples }) => samples.length)
    expect(lengths.slice(-2)).toEqual([16_000 * 60, 16_000])
    setup.say()
    expect((await setup.transcription.heard(3))[2]).toMatchObject({ type: 'final', utteranceId: 'utterance-3' })
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('that is over is not asked for again while its text is awaited, and what follows its full minute is another one', async () => {
    await using setup = await setUp()
    setup.transcription.session.voiceStarted()
    setup.transcription.push(new Int16Array(16_000 * 59.5))
    setup.transcription.session.voiceEnded()
    const sent = setup.sent()
    setup.transcription.silence(2_000)
    expect(setup.sent()).toBe(sent)
    setup.transcription.session.voiceStarted()
    setup.transcription.push(new Int16Array(16_000))
    setup.transcription.session.voiceEnded()
    expect(await setup.transcription.heard(2)).toMatchObject([
      { type: 'final', utteranceId: 'utterance-1' },
      { type: 'final', utteranceId: 'utterance-2' },
    ])
    const lengths = setup.server.heard.map(({ samples }) => samples.length)
    expect(lengths.slice(-2)).toEqual([16_000 * 59.5, 16_000 * 1.5])
  })
})

describe('a small server', () => {
  test('is asked again without what it refuses, from then on at once', async () => {
    await using setup = await setUp({ knowsAllFields: false })
    setup.say()
    expect(await setup.transcription.heard(1)).toMatchObject([{ type: 'final', text: SENTENCE, words: [] }])
    setup.say()
    await setup.transcription.heard(2)
    expect(setup.fields().map((fields) => fields.response_format)).toEqual(['verbose_json', 'json', 'json'])
  })

  test('that refuses everything for a while is asked for words again once it is well', async () => {
    await using setup = await setUp()
    setup.server.setReply({ kind: 'json', status: 404, body: {} })
    setup.say()
    expect(await setup.transcription.heard(1)).toMatchObject([{ type: 'failed', failure: { kind: 'rejected' } }])
    setup.server.setReply(null)
    const transcription = openTranscription(setup.transcriber)
    transcription.session.voiceStarted()
    transcription.push(SPEECH)
    transcription.session.voiceEnded()
    expect(await transcription.heard(1)).toMatchObject([{ type: 'final', text: SENTENCE }])
    expect(setup.fields().map((fields) => fields.response_format)).toEqual(['verbose_json', 'json', 'verbose_json'])
    transcription.session.close()
  })

  test('an unknown language is omitted', async () => {
    await using setup = await setUp()
    const transcription = openTranscription(setup.transcriber, [], 'multi')
    transcription.session.voiceStarted()
    transcription.push(SPEECH)
    transcription.session.voiceEnded()
    await transcription.heard(1)
    expect(setup.fields()[0]).not.toHaveProperty('language')
    expect(setup.fields()[0]).not.toHaveProperty('prompt')
    transcription.session.close()
  })
})

const FAULTS: readonly (readonly [string, SpeechReply, string, number])[] = [
  ['a wrong key', { kind: 'wrong-key' }, 'unauthorized', 1],
  ['too many requests', { kind: 'quota', retryAfterSeconds: 7 }, 'rate-limited', 1],
  ['a broken server', { kind: 'json', status: 500, body: {} }, 'unavailable', 2],
  ['a page', { kind: 'html' }, 'protocol', 2],
  ['JSON without a text', { kind: 'json', body: { words: [] } }, 'protocol', 2],
  ['no JSON', { kind: 'raw', contentType: 'application/json', body: 'I need a ta' }, 'protocol', 2],
  ['no HTTP', { kind: 'garbage' }, 'protocol', 2],
  ['a closed connection', { kind: 'refuse' }, 'unavailable', 2],
  ['a reset in the middle', { kind: 'reset', afterBytes: 10 }, 'unavailable', 2],
  ['a half-closed connection', { kind: 'half-close', afterBytes: 10 }, 'unavailable', 2],
  ['10 MB', { kind: 'raw', contentType: 'application/json', body: Buffer.alloc(10 * 1024 * 1024, 'x') }, 'protocol', 2],
]
const STREAMS: readonly (readonly [string, string, string])[] = [
  ['an error in the stream', 'data: {"type":"error","error":{"message":"I need a table"}}\n\n', 'unavailable'],
  ['a stream that ends early', 'data: {"type":"transcript.text.delta","delta":"I"}\n\n', 'protocol'],
  ['garbage in the stream', 'data: {"type"\n\n', 'protocol'],
]

describe('faults', () => {
  test.each(FAULTS)('%s ends the session with a clear event', async (_name, reply, kind, attempts) => {
    await using setup = await setUp()
    setup.server.setReply(reply)
    setup.say()
    const events = await setup.transcription.heard(1)
    expect(events).toMatchObject([{ type: 'failed', failure: { kind } }])
    expect(JSON.stringify(events)).not.toMatch(/table|sk-te|127\.0\.0\.1/)
    expect(setup.server.requests).toHaveLength(attempts)
    expect(setup.clock.pendingTimers).toBe(0)
    // Further pushes are harmless.
    setup.say()
    expect(setup.server.requests).toHaveLength(attempts)
  })

  test.each(STREAMS)('%s', async (_name, body, kind) => {
    await using setup = await setUp({ model: 'gpt-4o-transcribe' })
    setup.server.setReply({ kind: 'raw', contentType: 'text/event-stream', body })
    setup.say()
    while (setup.transcription.events.at(-1)?.type !== 'failed')
      await setup.transcription.heard(setup.transcription.events.length + 1)
    expect(setup.transcription.events.at(-1)).toMatchObject({ failure: { kind } })
  })

  test('a connection that breaks once is made again without a word', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'reset', afterBytes: 5 })
    setup.say()
    expect(await setup.transcription.heard(1)).toMatchObject([{ type: 'final', text: SENTENCE }])
  })

  test('a lost text in the middle of long speech is not a failure', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'json', status: 503, body: {} })
    setup.transcription.session.voiceStarted()
    setup.transcription.push(new Int16Array(16_000 * 2.5))
    await setup.server.received(1)
    setup.transcription.session.voiceEnded()
    expect(await setup.transcription.heard(1)).toMatchObject([{ type: 'final', text: SENTENCE }])
  })

  test.each([
    ['never answers', { kind: 'hang' }, 5_000],
    ['stalls', { kind: 'stall', afterBytes: 5 }, 3_000],
  ] as const)('a provider that %s is given up', async (_name, reply, afterMs) => {
    await using setup = await setUp()
    setup.server.setReply(reply)
    setup.say()
    await setup.server.received(1)
    await setup.clock.timerSet(afterMs)
    setup.clock.advance(afterMs)
    expect(await setup.transcription.heard(1)).toMatchObject([{ type: 'failed', failure: { kind: 'timeout' } }])
    await setup.server.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('a text that stalls behind its first words is given up before its turn would be taken without the rest', async () => {
    await using setup = await setUp({ model: 'gpt-4o-mini-transcribe' })
    setup.server.script({ kind: 'stall', afterBytes: 130 })
    setup.say()
    expect(await setup.transcription.heard(2)).toMatchObject([{ text: 'I' }, { text: 'I need' }])
    await setup.clock.timerSet(1_200)
    setup.clock.advance(1_200)
    expect((await setup.transcription.heard(3))[2]).toMatchObject({ type: 'failed', failure: { kind: 'timeout' } })
    await setup.server.abandoned()
    expect(setup.clock.pendingTimers).toBe(0)
  })

  test('closing aborts the request at once and emits nothing more', async () => {
    await using setup = await setUp()
    setup.server.script({ kind: 'stall', afterBytes: 5 })
    setup.say()
    await setup.server.received(1)
    setup.transcription.session.close()
    await setup.server.abandoned()
    expect(setup.transcription.events).toEqual([])
    expect(setup.clock.pendingTimers).toBe(0)
  })
})
