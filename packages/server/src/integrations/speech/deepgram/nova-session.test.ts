import type { TranscriberEvent } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import { buildResults } from '../../../../../../testing/deepgram-server/listen-replies.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { listen, setUpDeepgram, waitForEvent } from './deepgram-test-kit.ts'
import { createDeepgramTranscriber } from './deepgram-transcriber.ts'

const MODEL = 'nova-3'
const FINAL = { is_final: true }
const SPEECH_FINAL = { is_final: true, speech_final: true }
const FROM_FINALIZE = { is_final: true, from_finalize: true }
const UTTERANCE_END = { type: 'UtteranceEnd', channel: [0, 1], last_word_end: -1 }
/** Ends a sequence, so that all earlier messages have been handled. */
const SENTINEL = buildResults('Sentinel.', 90, 91, SPEECH_FINAL)
const isSentinel = (event: TranscriberEvent): boolean => event.type === 'final' && event.text.endsWith('Sentinel.')
const isFailed = (event: TranscriberEvent): boolean => event.type === 'failed'

function summarize(events: readonly TranscriberEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === 'failed') return `failed ${event.failure.kind}`
    const stage = event.type === 'final' ? 'final' : event.stable ? 'stable' : 'interim'
    return `${event.utteranceId.replace('utterance-', '')} ${stage} ${event.text}`.trim()
  })
}

describe('the request', () => {
  const COMMON = {
    encoding: 'linear16',
    sample_rate: '16000',
    channels: '1',
    interim_results: 'true',
    endpointing: '300',
    utterance_end_ms: '1000',
    smart_format: 'true',
    punctuate: 'true',
    mip_opt_out: 'true',
  }
  test.each([
    ['nova-3', 'en-US', ['Ana Müller', ' ', 'C++'], 'keyterm', ['Ana Müller', 'C++'], 'en-US'],
    ['nova-3-medical', 'de-DE', [], 'keyterm', [], 'de'],
    ['nova-2', 'pt-br', ['Ana Müller', 'a:9'], 'keywords', ['Ana', 'Müller', 'a', '9'], 'pt-BR'],
    ['nova-2-phonecall', 'es-MX', [], 'keywords', [], 'es'],
    ['nova-3', 'multi', Array(150).fill('word'), 'keyterm', Array(100).fill('word'), 'multi'],
    ['nova-3', 'en', Array(3).fill('x'.repeat(900)), 'keyterm', Array(2).fill('x'.repeat(900)), 'en'],
  ])('%s in %s', async (model, language, keywords, parameter, terms, expectedLanguage) => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, model, keywords, language)
    expect(connection.path).toBe('/v1/listen')
    expect(connection.parameters.getAll(parameter)).toEqual(terms)
    connection.parameters.delete(parameter)
    expect(Object.fromEntries(connection.parameters)).toEqual({ ...COMMON, model, language: expectedLanguage })
    transcription.session.close()
  })
})

const SEQUENCES: readonly (readonly [string, readonly object[], readonly string[]])[] = [
  [
    'final parts are joined until the speech is final',
    [
      buildResults('I want', 0, 1, {}),
      buildResults('I want', 0, 1, {}),
      buildResults('I want to', 0, 2, FINAL),
      buildResults('book', 2, 3, {}),
      buildResults('book a table.', 2, 4, SPEECH_FINAL),
    ],
    ['1 interim I want', '1 stable I want to', '1 interim I want to book', '1 final I want to book a table.'],
  ],
  ['silence', [buildResults('', 0, 1, {}), buildResults('', 0, 3, FINAL), buildResults('', 3, 6, SPEECH_FINAL)], []],
  [
    'an empty final part within an utterance changes nothing',
    [buildResults('Hello', 0, 1, FINAL), buildResults('', 1, 2, FINAL), buildResults('', 2, 3, SPEECH_FINAL)],
    ['1 stable Hello', '1 final Hello'],
  ],
  [
    'noise: UtteranceEnd replaces a final that never comes, and repeated ends change nothing',
    [buildResults('Hello', 0, 1, FINAL), UTTERANCE_END, UTTERANCE_END, buildResults('', 1, 3, SPEECH_FINAL)],
    ['1 stable Hello', '1 final Hello'],
  ],
  [
    'words that are not final at UtteranceEnd start the next utterance',
    [
      buildResults('One.', 0, 1, FINAL),
      buildResults('Two', 1, 2, {}),
      UTTERANCE_END,
      buildResults('Two.', 1, 2, SPEECH_FINAL),
    ],
    ['1 stable One.', '1 interim One. Two', '1 final One.', '2 final Two.'],
  ],
  [
    'UtteranceEnd without final words',
    [buildResults('Hel', 0, 1, {}), UTTERANCE_END, buildResults('Hello.', 0, 1, SPEECH_FINAL)],
    ['1 interim Hel', '1 final Hello.'],
  ],
  [
    'retracted words',
    [buildResults('Uh', 0, 1, {}), buildResults('', 0, 1, FINAL), buildResults('', 1, 2, SPEECH_FINAL)],
    ['1 interim Uh', '1 interim', '1 final'],
  ],
  [
    'results of Finalize end the utterance',
    [buildResults('Hi', 0, 1, FINAL), buildResults('there.', 1, 2, FROM_FINALIZE)],
    ['1 stable Hi', '1 final Hi there.'],
  ],
  [
    'unknown and incomplete messages are ignored',
    [
      { type: 'SpeechStarted', channel: [0], timestamp: 0.1 },
      { type: 'Metadata', request_id: 'x' },
      { type: 'New' },
      { type: 'Results' },
      { type: 'Results', channel: { alternatives: [] } },
      { type: 'Results', is_final: true, channel: { alternatives: [{ transcript: 7, words: 'x' }] } },
    ],
    [],
  ],
]

test.each(SEQUENCES)('%s', async (_name, messages, expected) => {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, MODEL)
  for (const message of [...messages, SENTINEL]) connection.send({ ...message })
  const events = await waitForEvent(transcription, isSentinel)
  expect(summarize(events.slice(0, -1))).toEqual(expected)
  transcription.session.close()
})

test('words have times relative to the first word, and punctuation', async () => {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, MODEL)
  connection.send(buildResults('Yes, please', 5, 6, FINAL))
  connection.send(buildResults('now.', 6.5, 7.25, SPEECH_FINAL))
  const [, event] = await transcription.waitForEvents(2)
  expect(event).toMatchObject({
    endOfTurn: null,
    words: [
      { text: 'Yes,', startMs: 0, endMs: 500 },
      { text: 'please', startMs: 500, endMs: 1000 },
      { text: 'now.', startMs: 1500, endMs: 2250 },
    ],
  })
  transcription.session.close()
})

describe('the end of voice', () => {
  test('requests the final text after the audio, and reports voice without speech once', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    const { session } = transcription
    session.voiceStarted()
    transcription.pushSilence(100)
    session.voiceEnded()
    await setup.server.until(() => connection.commandTypes.includes('Finalize'))
    expect(connection.sampleCount).toBe(1_600)
    connection.send(buildResults('', 0, 0.1, FROM_FINALIZE))
    connection.send(buildResults('', 0.1, 0.2, FROM_FINALIZE))
    connection.send(SENTINEL)
    expect(summarize(await waitForEvent(transcription, isSentinel))).toEqual(['1 final', '2 final Sentinel.'])
    session.close()
  })

  test('reports nothing if the caller speaks again before an empty answer', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    transcription.session.voiceEnded()
    transcription.session.voiceStarted()
    connection.send(buildResults('', 0, 0.1, FROM_FINALIZE))
    connection.send(SENTINEL)
    expect(summarize(await waitForEvent(transcription, isSentinel))).toEqual(['1 final Sentinel.'])
    transcription.session.close()
  })

  test('is requested once the connection opens', async () => {
    await using setup = await setUpDeepgram()
    const transcription = openTranscription(createDeepgramTranscriber({ ...setup.target, model: MODEL }))
    transcription.session.voiceStarted()
    transcription.pushSilence(100)
    transcription.session.voiceEnded()
    const connection = await setup.opened(0)
    await setup.server.until(() => connection.commandTypes.includes('Finalize'))
    expect(connection.sampleCount).toBe(1_600)
    transcription.session.close()
  })
})

test.each([8_000, 16_000] as const)('recognizes speech at %i Hz', async (rateHz) => {
  await using setup = await setUpDeepgram()
  const samples = synthesizeTones('one three thousand', rateHz)
  setup.server.addRecording({ samples, rateHz }, 'Recognized text.')
  const events: TranscriberEvent[] = []
  const ended = Promise.withResolvers<void>()
  const session = createDeepgramTranscriber({ ...setup.target, model: MODEL }).open({
    rateHz,
    language: 'en',
    keywords: [],
    onEvent: (event) => {
      events.push(event)
      if (event.type === 'final') ended.resolve()
    },
  })
  const audio = new Int16Array(rateHz * 2)
  audio.set(samples, rateHz / 2)
  for (let offset = 0; offset < audio.length; offset += rateHz / 50) {
    session.push(audio.subarray(offset, offset + rateHz / 50))
  }
  await ended.promise
  expect(events.at(-1)).toMatchObject({ type: 'final', text: 'Recognized text.', words: [{ startMs: 0 }, {}] })
  session.close()
})

describe('without audio', () => {
  test('the connection is kept alive by text messages, after one frame of audio', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    const countMessages = (): number => connection.commands.length + connection.messageSizes.length
    for (let count = 1; count <= 15; count += 1) {
      setup.clock.advance(4_000)
      await setup.server.until(() => countMessages() === count)
    }
    expect(connection.messageSizes).toEqual([640])
    expect(new Set(connection.commandTypes)).toEqual(new Set(['KeepAlive']))
    expect(connection.isOpen).toBe(true)
    transcription.session.close()
  })

  test('an empty frame is not sent, because it would end the stream', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    transcription.session.push(new Int16Array(0))
    transcription.pushSilence(20)
    connection.send(SENTINEL)
    await transcription.waitForEvents(1)
    await setup.server.until(() => connection.messageSizes.length > 0)
    expect(connection.messageSizes).toEqual([640])
    transcription.session.close()
  })
})

describe('a lost connection', () => {
  test('is replaced, and the audio without text is sent again with shifted times', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    const tone = synthesizeTones('one two three four', 16_000)
    transcription.session.voiceStarted()
    transcription.push(tone)
    await setup.server.until(() => connection.sampleCount === tone.length)
    connection.send(buildResults('One', 0, 0.5, FINAL))
    connection.send(buildResults('tw', 0.5, 1, {}))
    await transcription.waitForEvents(2)
    connection.drop()
    const next = await setup.opened(1)
    transcription.session.voiceEnded()
    await setup.server.until(() => next.commandTypes.includes('Finalize'))
    expect(next.getSamples()).toEqual(tone.subarray(8_000))
    expect(Math.max(...next.messageSizes)).toBeLessThanOrEqual(8_000)
    next.send(buildResults('two three four.', 0.1, 0.9, FROM_FINALIZE))
    const events = await transcription.waitForEvents(3)
    expect(summarize(events)).toEqual(['1 stable One', '1 interim One tw', '1 final One two three four.'])
    expect(events.at(-1)).toMatchObject({
      words: [
        { text: 'One', startMs: 0, endMs: 500 },
        { text: 'two', startMs: 600 },
        {},
        { text: 'four.', endMs: 1400 },
      ],
    })
    transcription.session.close()
  })

  test('resends at most 15 seconds', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    transcription.pushSilence(20_000)
    await setup.server.until(() => connection.sampleCount === 320_000)
    connection.drop()
    const next = await setup.opened(1)
    await setup.server.until(() => next.sampleCount === 240_000)
    next.send(buildResults('Late.', 1, 2, SPEECH_FINAL))
    expect(await transcription.waitForEvents(1)).toMatchObject([
      { text: 'Late.', words: [{ startMs: 0, endMs: 1000 }] },
    ])
    transcription.session.close()
  })

  test('is replaced twice in a row, the second time after a delay, and again after a stable connection', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    connection.close(1011, 'NET-0000')
    const second = await setup.opened(1)
    second.drop()
    await setup.clock.waitForTimer(500)
    setup.clock.advance(500)
    const third = await setup.opened(2)
    transcription.pushSilence(20)
    await setup.server.until(() => third.sampleCount > 0)
    setup.clock.advance(9_900)
    setup.clock.advance(200)
    third.drop()
    const fourth = await setup.opened(3)
    fourth.send(SENTINEL)
    await transcription.waitForEvents(1)
    fourth.sendRaw('no JSON')
    await setup.clock.waitForTimer(500)
    setup.clock.advance(500)
    const fifth = await setup.opened(4)
    fifth.drop()
    expect(summarize(await waitForEvent(transcription, isFailed))).toEqual(['1 final Sentinel.', 'failed unavailable'])
    expect(setup.server.connections).toHaveLength(5)
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })

  test('is detected by the missing answer to voice', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    transcription.pushSilence(500)
    transcription.session.voiceEnded()
    await setup.server.until(() => connection.commandTypes.includes('Finalize'))
    setup.clock.advance(7_900)
    connection.send({ type: 'Metadata' })
    connection.send(SENTINEL)
    await transcription.waitForEvents(1)
    transcription.session.voiceEnded()
    await setup.server.until(() => connection.commandTypes.filter((type) => type === 'Finalize').length === 2)
    setup.clock.advance(8_000)
    const next = await setup.opened(1)
    // The request for the final text is repeated.
    await setup.server.until(() => next.commandTypes.includes('Finalize'))
    transcription.session.close()
  })
})

describe('a failure', () => {
  test.each([
    [401, 'unauthorized', false],
    [403, 'unauthorized', false],
    [429, 'rate-limited', true],
    [400, 'rejected', false],
    [503, 'unavailable', true],
  ])('of the first handshake with status %i is final', async (status, kind, retryable) => {
    await using setup = await setUpDeepgram()
    setup.server.refuse(status)
    const transcription = openTranscription(createDeepgramTranscriber({ ...setup.target, model: MODEL }))
    transcription.pushSilence(100)
    transcription.session.voiceEnded()
    expect(await transcription.waitForEvents(1)).toMatchObject([{ type: 'failed', failure: { kind, retryable } }])
    expect(setup.server.refusals).toEqual([status])
    expect(setup.clock.timerCount).toBe(0)
  })

  test('of the key is final and does not contain it', async () => {
    await using setup = await setUpDeepgram('wrong-secret')
    const transcription = openTranscription(createDeepgramTranscriber({ ...setup.target, model: MODEL }))
    const [event] = await transcription.waitForEvents(1)
    expect(event).toMatchObject({ type: 'failed', failure: { kind: 'unauthorized' } })
    expect(JSON.stringify(event)).not.toContain('secret')
  })

  test.each([1003, 1008, 1009])('with close code %i is final', async (code) => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    connection.close(code, 'DATA-0000')
    expect(await transcription.waitForEvents(1)).toMatchObject([{ type: 'failed', failure: { kind: 'rejected' } }])
    expect(setup.server.connections).toHaveLength(1)
    transcription.pushSilence(100)
    transcription.session.voiceEnded()
    transcription.session.close()
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })

  test('reported as a message leads to another connection, without the text of the message', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    for (let index = 0; index < 3; index += 1) {
      const current = index === 0 ? connection : await setup.opened(index)
      current.send({ type: 'Error', description: 'my secret plan', variant: 'SomeError' })
      if (index !== 1) continue
      await setup.clock.waitForTimer(500)
      setup.clock.advance(500)
    }
    const [event] = await transcription.waitForEvents(1)
    expect(event).toMatchObject({ failure: { message: 'The provider reported an error (SomeError).' } })
  })

  test('with status 429 while it reconnects is retried once', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    setup.server.refuse(429)
    connection.drop()
    await setup.clock.waitForTimer(500)
    setup.clock.advance(500)
    const next = await setup.opened(1)
    next.send(SENTINEL)
    await transcription.waitForEvents(1)
    transcription.session.close()
  })
})

test('closing ends the stream and emits nothing', async () => {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, MODEL)
  transcription.pushSilence(100)
  connection.send(SENTINEL)
  transcription.session.close()
  expect(await connection.closed).toBe(1000)
  expect(connection.commandTypes).toEqual(['CloseStream'])
  expect(transcription.events).toEqual([])
  transcription.session.push(new Int16Array(320))
  transcription.session.close()
  await expect.poll(() => setup.clock.timerCount).toBe(0)
})
