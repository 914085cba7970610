import type { TranscriberEvent } from '@parley/engine/voice/ports'
import { describe, expect, test } from 'vitest'
import { synthesizeTones } from '../../../../../../testing/speech-server/speech-server.ts'
import { openTranscription } from '../speech-test-kit.ts'
import { ELEVENLABS_TEST_KEY, setUpElevenLabs } from './elevenlabs-test-kit.ts'
import { createElevenLabsTranscriber } from './elevenlabs-transcriber.ts'
import { getTexts, getWords, SENTENCE, SPEECH, SPEECH_WORDS, setUpScribe, waitUntilSettled } from './scribe-test-kit.ts'

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
    await using setup = await setUpScribe({ keywords })
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
    const { session } = openTranscription(createElevenLabsTranscriber(setup.target), [], { language: 'multi' })
    await setup.server.waitFor(() => setup.server.connections.length === 1)
    expect(setup.server.connections[0]?.query.has('language_code')).toBe(false)
    session.close()
  })

  test('sends all audio in groups and commits at the end of voice, without delay', async () => {
    await using setup = await setUpScribe()
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
    await using setup = await setUpScribe()
    await waitUntilSettled(setup)
    setup.clock.advance(5_000)
    await setup.server.waitFor(() => setup.getChunks().length === 1)
    expect(setup.getAudio()).toEqual(new Int16Array(1_280))
    setup.transcription.push(SPEECH.subarray(0, 320))
    setup.clock.advance(5_000)
    setup.transcription.push(SPEECH.subarray(320, 1_280))
    await setup.server.waitFor(() => setup.getChunks().length === 2)
    expect(setup.getAudio().subarray(1_280)).toEqual(SPEECH.subarray(0, 1_280))
  })

  test('of a call at 8 kHz has this rate', async () => {
    await using setup = await setUpElevenLabs({ recognize: () => SENTENCE })
    const event = Promise.withResolvers<TranscriberEvent>()
    const session = createElevenLabsTranscriber(setup.target).open({
      rateHz: 8_000,
      language: 'en',
      keywords: [],
      onEvent: event.resolve,
    })
    session.voiceStarted()
    session.push(synthesizeTones(SENTENCE, 8_000))
    session.voiceEnded()
    expect(getWords(await event.promise)).toEqual(SPEECH_WORDS)
    expect(setup.server.connections[0]?.query.get('audio_format')).toBe('pcm_8000')
    session.close()
  })

  test('emits nothing after it is closed, and releases its timers', async () => {
    await using setup = await setUpScribe()
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
    await using setup = await setUpScribe()
    setup.transcription.pushSilence(1_000)
    await setup.server.waitFor(() => setup.server.connections.length === 1)
    const [connection] = setup.server.connections
    for (const text of ['I need', 'I need', '']) connection?.sendJson({ message_type: 'partial_transcript', text })
    connection?.sendJson({ message_type: 'final_transcript', text: 'I need a' })
    connection?.sendJson({ message_type: 'final_transcript_with_timestamps', text: 'I need a table', words: [] })
    await setup.transcription.waitForEvents(3)
    setup.speak()
    const [, , , final] = await setup.transcription.waitForEvents(4)
    const id = 'utterance-1'
    expect(setup.transcription.events.slice(0, 3)).toEqual([
      { type: 'interim', utteranceId: id, text: 'I need', stable: false },
      { type: 'interim', utteranceId: id, text: 'I need a', stable: true },
      { type: 'interim', utteranceId: id, text: 'I need a table', stable: true },
    ])
    expect(final).toMatchObject({ type: 'final', utteranceId: id, text: SENTENCE, endOfTurn: null })
    expect(getWords(final)).toEqual(SPEECH_WORDS)
  })

  test.each(['session', 'segment'] as const)(
    'has word times from its voice if they count from the %s',
    async (timesFrom) => {
      await using setup = await setUpScribe()
      setup.server.scriptScribe({ kind: 'transcript', timesFrom }, { kind: 'transcript', timesFrom })
      setup.speak()
      await setup.transcription.waitForEvents(1)
      setup.transcription.pushSilence(4_000)
      setup.speak()
      const [, final] = await setup.transcription.waitForEvents(2)
      expect(final).toMatchObject({ type: 'final', utteranceId: 'utterance-2' })
      expect(getWords(final)).toEqual(SPEECH_WORDS)
    },
  )

  test.each(['after', 'before', 'alone'] as const)(
    'has one final text if its timestamps come %s',
    async (timestamps) => {
      await using setup = await setUpScribe()
      const reply = { kind: 'transcript', timestamps } as const
      setup.server.scriptScribe(reply, reply)
      setup.speak()
      await setup.transcription.waitForEvents(1)
      setup.speak()
      await setup.transcription.waitForEvents(2)
      await setup.server.connections[0]?.sendJson({ message_type: 'partial_transcript', text: 'More' })
      const events = await setup.transcription.waitForEvents(3)
      expect(getTexts(events)).toEqual([`final ${SENTENCE}`, `final ${SENTENCE}`, 'interim More'])
      for (const event of events.slice(0, 2)) expect(getWords(event)).toEqual(SPEECH_WORDS)
    },
  )

  test('has a final text without words if its timestamps are late', async () => {
    await using setup = await setUpScribe()
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
    await using setup = await setUpScribe()
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
    await using setup = await setUpScribe()
    setup.server.scriptScribe(reply)
    setup.speak()
    expect(await setup.transcription.waitForEvents(1)).toMatchObject([{ type: 'final', text: '', words: [] }])
    setup.speak()
    expect((await setup.transcription.waitForEvents(2))[1]).toMatchObject({ text: SENTENCE })
  })

  test('that is very short is committed once 300 ms of audio were sent', async () => {
    await using setup = await setUpScribe()
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

  test('is committed again if the vendor rejects the commit', async () => {
    await using setup = await setUpScribe()
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

  test('is not committed again after four rejections, but with the next utterance', async () => {
    await using setup = await setUpScribe()
    const throttled = { kind: 'messages', messages: [{ message_type: 'commit_throttled' }] } as const
    setup.server.scriptScribe(throttled, throttled, throttled, throttled)
    setup.speak()
    for (const count of [1, 2, 3, 4]) {
      await setup.waitForCommits(count)
      await waitUntilSettled(setup)
      setup.transcription.pushSilence(320)
    }
    await setup.server.waitFor(() => setup.countSeconds() > 2.8)
    expect(setup.countCommits()).toBe(4)
    setup.speak()
    const [final] = await setup.transcription.waitForEvents(1)
    expect(final).toMatchObject({
      type: 'final',
      utteranceId: 'utterance-1',
      words: [{ text: 'I', startMs: 0 }, {}, {}, {}],
    })
    expect(setup.countCommits()).toBe(5)
  })

  test('that the vendor commits on its own is final, and silence that it commits is ignored', async () => {
    await using setup = await setUpScribe()
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
