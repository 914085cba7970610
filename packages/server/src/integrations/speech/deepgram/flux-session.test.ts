import type { TranscriberEvent } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import { buildTurnInfo } from '../../../../../../testing/deepgram-server/listen-replies.ts'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { listen, replayMessages, setUpDeepgram, waitForEvent } from './deepgram-test-kit.ts'

const MODEL = 'flux-general-en'
/** Ends a sequence, so that all earlier messages have been handled. */
const SENTINEL = buildTurnInfo('EndOfTurn', 'Sentinel.', { turn_index: 1_000 })
const isSentinel = (event: TranscriberEvent): boolean => event.type === 'final' && event.text === 'Sentinel.'

function summarize(events: readonly TranscriberEvent[]): readonly string[] {
  return events.map((event) => {
    if (event.type === 'failed') return `failed ${event.failure.kind}`
    if (event.type === 'final') return `${event.utteranceId} final ${event.endOfTurn} ${event.text}`.trim()
    return `${event.utteranceId} ${event.stable ? 'stable' : 'interim'} ${event.text}`.trim()
  })
}

test.each([
  ['flux-general-en', 'en-US', ['Ana Müller'], []],
  ['flux-general-en', 'de', [], []],
  ['flux-general-multi', 'de-AT', ['C++'], ['de']],
  ['flux-general-multi', 'multi', [], []],
  ['flux-general-multi', 'pl-PL', [], []],
])('the request of %s in %s', async (model, language, keywords, hints) => {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, model, keywords, { language })
  expect(connection.path).toBe('/v2/listen')
  expect(connection.parameters.getAll('keyterm')).toEqual(keywords)
  expect(connection.parameters.getAll('language_hint')).toEqual(hints)
  expect(connection.parameters.has('language')).toBe(false)
  expect(Object.fromEntries(connection.parameters)).toMatchObject({
    model,
    encoding: 'linear16',
    sample_rate: '16000',
    eager_eot_threshold: '0.5',
    eot_threshold: '0.7',
    mip_opt_out: 'true',
  })
  transcription.session.close()
})

const SEQUENCES: readonly (readonly [string, readonly object[], readonly string[]])[] = [
  [
    'a turn: the model can start early, and the end of turn is certain',
    [
      buildTurnInfo('Update', ''),
      buildTurnInfo('StartOfTurn', 'I'),
      buildTurnInfo('Update', 'I want'),
      buildTurnInfo('Update', 'I want'),
      buildTurnInfo('EagerEndOfTurn', 'I want that.'),
      buildTurnInfo('EndOfTurn', 'I want that.', { trigger: 'model' }),
    ],
    ['turn-1 interim I', 'turn-1 interim I want', 'turn-1 stable I want that.', 'turn-1 final 1 I want that.'],
  ],
  [
    'a resumed turn is no longer stable',
    [
      buildTurnInfo('StartOfTurn', 'My number'),
      buildTurnInfo('EagerEndOfTurn', 'My number is'),
      buildTurnInfo('TurnResumed', 'My number is'),
      buildTurnInfo('EndOfTurn', 'My number is five.', { trigger: 'manual' }),
    ],
    [
      'turn-1 interim My number',
      'turn-1 stable My number is',
      'turn-1 interim My number is',
      'turn-1 final 1 My number is five.',
    ],
  ],
  [
    'a turn that ends by timeout has the confidence of the vendor, within bounds',
    [
      buildTurnInfo('EndOfTurn', 'One.', { trigger: 'timeout', end_of_turn_confidence: 0.4 }),
      buildTurnInfo('EndOfTurn', 'Two.', { trigger: 'timeout', end_of_turn_confidence: 7, turn_index: 1 }),
      buildTurnInfo('EndOfTurn', 'Three.', { trigger: 'new', end_of_turn_confidence: 0.4, turn_index: 2 }),
    ],
    ['turn-1 final 0.4 One.', 'turn-2 final 1 Two.', 'turn-3 final 1 Three.'],
  ],
  ['a turn without words', [buildTurnInfo('StartOfTurn', ''), buildTurnInfo('EndOfTurn', '')], ['turn-1 final 1']],
  [
    'a missing end of turn, and a message of an ended turn',
    [
      buildTurnInfo('StartOfTurn', 'One'),
      buildTurnInfo('StartOfTurn', 'Two', { turn_index: 1 }),
      buildTurnInfo('EndOfTurn', 'Two.', { turn_index: 1 }),
      buildTurnInfo('Update', 'Two again.', { turn_index: 1 }),
    ],
    ['turn-1 interim One', 'turn-1 final null One', 'turn-2 interim Two', 'turn-2 final 1 Two.'],
  ],
  [
    'unknown and incomplete messages are ignored',
    [{ type: 'Connected' }, { type: 'ConfigureSuccess' }, { type: 'TurnInfo' }, { type: 'TurnInfo', turn_index: 'x' }],
    [],
  ],
]

test.each(SEQUENCES)('%s', async (_name, messages, expected) => {
  const events = await replayMessages(MODEL, [...messages, SENTINEL], isSentinel)
  expect(summarize(events)).toEqual(expected)
})

test('words have times relative to the first word, or are omitted without times', async () => {
  await using setup = await setUpDeepgram()
  const { transcription, connection } = await listen(setup, MODEL)
  connection.send(buildTurnInfo('EndOfTurn', 'Yes, please.', { audio_window_start: 3, audio_window_end: 4 }))
  connection.send(buildTurnInfo('EndOfTurn', 'No.', { turn_index: 1, words: [{ word: 'No.', confidence: 1 }] }))
  expect(await transcription.waitForEvents(2)).toMatchObject([
    {
      words: [
        { text: 'Yes,', startMs: 0, endMs: 500 },
        { text: 'please.', startMs: 500, endMs: 1000 },
      ],
    },
    { words: [] },
  ])
  transcription.session.close()
})

describe('audio', () => {
  test('is sent in messages of 80 ms, and speech is recognized', async () => {
    await using setup = await setUpDeepgram()
    const samples = synthesizeTones('one three thousand', 16_000)
    setup.server.addRecording({ samples, rateHz: 16_000 }, 'Recognized text.')
    const { transcription, connection } = await listen(setup, MODEL)
    transcription.push(samples)
    transcription.pushSilence(1_000)
    const events = await waitForEvent(transcription, ({ type }) => type === 'final')
    expect(summarize(events)).toEqual(['turn-1 stable Recognized text.', 'turn-1 final 1 Recognized text.'])
    expect(new Set(connection.messageSizes)).toEqual(new Set([2_560]))
    expect(connection.commands).toEqual([])
    transcription.session.close()
  })

  test('is replaced by silence during a turn, which would otherwise never end', async () => {
    await using setup = await setUpDeepgram()
    const samples = synthesizeTones('one three thousand', 16_000)
    setup.server.addRecording({ samples, rateHz: 16_000 }, 'Recognized text.')
    const { transcription, connection } = await listen(setup, MODEL)
    transcription.push(samples)
    await setup.server.until(() => connection.sampleCount > samples.length - 1_280)
    connection.send(buildTurnInfo('Update', 'Recognized'))
    await transcription.waitForEvents(1)
    setup.clock.advance(450)
    connection.send(buildTurnInfo('Update', 'Recognized text'))
    await transcription.waitForEvents(2)
    expect(connection.sampleCount).toBeLessThanOrEqual(samples.length)
    setup.clock.advance(1_100)
    const events = await waitForEvent(transcription, ({ type }) => type === 'final')
    expect(summarize(events).at(-1)).toBe('turn-1 final 1 Recognized text.')
    transcription.session.close()
  })

  test('is replaced by some silence between turns, so that the connection stays open', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    for (let count = 1; count <= 10; count += 1) {
      setup.clock.advance(4_000)
      await setup.server.until(() => connection.sampleCount >= count * 3_840)
    }
    expect(connection.isOpen).toBe(true)
    expect(connection.sampleCount).toBe(10 * 3_840)
    expect(connection.commands).toEqual([])
    transcription.session.close()
  })
})

describe('a lost connection', () => {
  test('is replaced, and the turn continues under its ID', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    const tone = synthesizeTones('one two three four', 16_000)
    transcription.push(tone)
    await setup.server.until(() => connection.sampleCount > tone.length - 1_280)
    connection.send(buildTurnInfo('EndOfTurn', 'One.', { turn_index: 4, audio_window_end: 0.5 }))
    connection.send(buildTurnInfo('Update', 'Two thr', { turn_index: 5, audio_window_end: 1.2 }))
    await transcription.waitForEvents(2)
    connection.drop()
    const next = await setup.opened(1)
    await setup.server.until(() => next.sampleCount === tone.length - 8_000)
    expect(next.getSamples()).toEqual(tone.subarray(8_000))
    next.send(buildTurnInfo('EndOfTurn', 'Two three four.', { audio_window_end: 0.9 }))
    expect(summarize(await transcription.waitForEvents(3))).toEqual([
      'turn-1 final 1 One.',
      'turn-2 interim Two thr',
      'turn-2 final 1 Two three four.',
    ])
    transcription.session.close()
  })

  test('loses no text of a turn whose audio is too long to be sent again', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    transcription.pushSilence(20_000)
    await setup.server.until(() => connection.sampleCount === 320_000)
    connection.send(buildTurnInfo('Update', 'A long story', { audio_window_end: 19 }))
    await transcription.waitForEvents(1)
    connection.drop()
    const next = await setup.opened(1)
    await setup.server.until(() => next.sampleCount === 16_000)
    next.send(buildTurnInfo('EndOfTurn', 'ends.'))
    expect(summarize(await transcription.waitForEvents(3)).slice(1)).toEqual([
      'turn-1 final null A long story',
      'turn-2 final 1 ends.',
    ])
    transcription.session.close()
  })

  test('is detected by the missing answer to voice', async () => {
    await using setup = await setUpDeepgram()
    const { transcription } = await listen(setup, MODEL)
    transcription.session.voiceStarted()
    transcription.session.voiceEnded()
    setup.clock.advance(1_500)
    const next = await setup.opened(1)
    next.send(SENTINEL)
    await transcription.waitForEvents(1)
    transcription.session.close()
  })
})

describe('a failure', () => {
  test('reported as a message is final and does not contain the description', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    connection.send({ type: 'Error', code: 'INTERNAL_SERVER_ERROR', description: 'my secret plan' })
    expect(await transcription.waitForEvents(1)).toEqual([
      {
        type: 'failed',
        failure: {
          kind: 'unavailable',
          message: 'The provider reported an error (INTERNAL_SERVER_ERROR).',
          retryable: true,
        },
      },
    ])
    expect(setup.server.connections).toHaveLength(1)
    transcription.pushSilence(100)
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })

  test('closing ends the stream and emits nothing', async () => {
    await using setup = await setUpDeepgram()
    const { transcription, connection } = await listen(setup, MODEL)
    connection.send(SENTINEL)
    transcription.session.close()
    expect(await connection.closed).toBe(1000)
    expect(connection.commandTypes).toEqual(['CloseStream'])
    expect(transcription.events).toEqual([])
    await expect.poll(() => setup.clock.timerCount).toBe(0)
  })
})
