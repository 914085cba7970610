import type { TranscriberEvent } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import { buildResults } from '../../../../../../testing/deepgram-server/listen-replies.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { listen, replayMessages, setUpDeepgram, waitForEvent } from './deepgram-test-kit.ts'
import { createDeepgramTranscriber } from './deepgram-transcriber.ts'
import { FINAL, FROM_FINALIZE, isSentinel, NOVA, SENTINEL, SPEECH_FINAL, summarize } from './nova-test-kit.ts'

const UTTERANCE_END = { type: 'UtteranceEnd', channel: [0, 1], last_word_end: -1 }

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
    const { transcription, connection } = await listen(setup, model, keywords, { language })
    expect(connection.path).toBe('/v1/listen')
    expect(connection.parameters.getAll(parameter)).toEqual(terms)
    connection.parameters.delete(parameter)
    expect(Object.fromEntries(connection.parameters)).toEqual({ ...COMMON, model, language: expectedLanguage })
    transcription.session.close()
  })
})

describe('the silence that ends an utterance', () => {
  test.each([
    [null, '300', '1000', 0],
    [10, '10', '1000', 0],
    [150, '150', '1000', 0],
    [800, '800', '1000', 600],
    [9_000, '1500', '1500', 1_300],
  ])('%s ms', async (endpointingMs, endpointing, utteranceEnd, finalizeDelayMs) => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA, [], { endpointingMs })
    expect(connection.parameters.get('endpointing')).toBe(endpointing)
    expect(connection.parameters.get('utterance_end_ms')).toBe(utteranceEnd)
    const hasFinalize = (): boolean => connection.commandTypes.includes('Finalize')
    transcription.session.voiceStarted()
    transcription.pushSilence(100)
    transcription.session.voiceEnded()
    // The end of voice is detected after 200 ms of silence.
    if (finalizeDelayMs > 0) setup.clock.advance(finalizeDelayMs - 1)
    connection.send(SENTINEL)
    await transcription.waitForEvents(1)
    if (finalizeDelayMs > 0) {
      expect(hasFinalize()).toBe(false)
      transcription.session.voiceStarted()
      transcription.session.voiceEnded()
      setup.clock.advance(finalizeDelayMs)
    }
    await setup.server.until(hasFinalize)
    transcription.session.close()
  })

  test('is not requested if the caller goes on before', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA, [], { endpointingMs: 800 })
    transcription.session.voiceEnded()
    transcription.session.voiceStarted()
    setup.clock.advance(2_000)
    transcription.pushSilence(20)
    await setup.server.until(() => connection.sampleCount > 0)
    expect(connection.commandTypes).toEqual([])
    transcription.session.close()
    await connection.closed
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })
})

/** As long as an utterance can be. */
const LONG_TEXT = 'x'.repeat(8_000)

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
    'words that are retracted after UtteranceEnd',
    [
      buildResults('One.', 0, 1, FINAL),
      buildResults('Two', 1, 2, {}),
      UTTERANCE_END,
      buildResults('', 1, 2, SPEECH_FINAL),
    ],
    ['1 stable One.', '1 interim One. Two', '1 final One.'],
  ],
  [
    'an utterance without end is split once it is long',
    [buildResults(LONG_TEXT, 0, 60, FINAL), buildResults('end', 60, 61, FINAL), buildResults('now', 61, 62, FINAL)],
    [`1 stable ${LONG_TEXT}`, `1 final ${LONG_TEXT} end`, '2 stable now'],
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
  const events = await replayMessages(NOVA, [...messages, SENTINEL], isSentinel)
  expect(summarize(events)).toEqual(expected)
})

test('words have times relative to the first word, and punctuation', async () => {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, NOVA)
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
    const { transcription, connection } = await listen(setup, NOVA)
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
    const { transcription, connection } = await listen(setup, NOVA)
    transcription.session.voiceEnded()
    transcription.session.voiceStarted()
    connection.send(buildResults('', 0, 0.1, FROM_FINALIZE))
    connection.send(SENTINEL)
    expect(summarize(await waitForEvent(transcription, isSentinel))).toEqual(['1 final Sentinel.'])
    transcription.session.close()
  })

  test('reports voice without speech if its words are retracted after UtteranceEnd', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    connection.send(buildResults('One.', 0, 1, FINAL))
    connection.send(buildResults('Two', 1, 2, {}))
    connection.send(UTTERANCE_END)
    await transcription.waitForEvents(3)
    transcription.session.voiceEnded()
    connection.send(buildResults('', 1, 2, FROM_FINALIZE))
    const events = await transcription.waitForEvents(4)
    expect(summarize(events).slice(2)).toEqual(['1 final One.', '3 final'])
    transcription.session.close()
  })

  test('has a final text even if the vendor does not answer the request, as after little audio', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    transcription.session.voiceStarted()
    transcription.pushSilence(100)
    transcription.session.voiceEnded()
    await setup.server.until(() => connection.commandTypes.includes('Finalize'))
    connection.send(buildResults('Yes.', 0, 0.1, SPEECH_FINAL))
    connection.send(SENTINEL)
    expect(summarize(await waitForEvent(transcription, isSentinel))).toEqual(['1 final Yes.', '2 final Sentinel.'])
    transcription.session.close()
  })

  test('is requested once the connection opens', async () => {
    await using setup = await setUpDeepgram()
    const transcription = openTranscription(createDeepgramTranscriber({ ...setup.target, model: NOVA }))
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
  const session = createDeepgramTranscriber({ ...setup.target, model: NOVA }).open({
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
    const { transcription, connection } = await listen(setup, NOVA)
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

  test('the connection is kept alive after a reconnection too', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    transcription.pushSilence(20)
    connection.send(buildResults('', 0, 0.02, FINAL))
    connection.send(SENTINEL)
    await transcription.waitForEvents(1)
    connection.drop()
    const next = await setup.opened(1)
    for (let count = 1; count <= 4; count += 1) {
      setup.clock.advance(4_000)
      await setup.server.until(() => next.commands.length + next.messageSizes.length === count)
    }
    expect(next.messageSizes).toEqual([640])
    expect(next.isOpen).toBe(true)
    transcription.session.close()
  })

  test('an empty frame is not sent, because it would end the stream', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, NOVA)
    transcription.session.push(new Int16Array(0))
    transcription.pushSilence(20)
    connection.send(SENTINEL)
    await transcription.waitForEvents(1)
    await setup.server.until(() => connection.messageSizes.length > 0)
    expect(connection.messageSizes).toEqual([640])
    transcription.session.close()
  })
})

test('closing ends the stream and emits nothing', async () => {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, NOVA)
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
