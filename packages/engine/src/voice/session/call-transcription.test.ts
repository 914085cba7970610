import { expect, test } from 'vitest'
import { createManualClock, flushPromises } from '../../testing/manual-clock.ts'
import { createScriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import type { RecognitionHints, SpeechFailure, Transcriber, TranscriberEvent, TranscriberOptions } from '../ports.ts'
import { CallTranscription, type SpeechHints, type TranscribedText } from './call-transcription.ts'

const VOICE = new Int16Array(160).fill(8_000)
const SILENCE = new Int16Array(160)

function openTranscription(...transcription: Pick<ReturnType<typeof createScriptedTranscriber>, 'transcriber'>[]) {
  const hints: { -readonly [Key in keyof SpeechHints]: SpeechHints[Key] } = {
    ...{ language: 'en-US', keywords: ['Parley'], transcribers: [] },
  }
  const time = createManualClock()
  const texts: TranscribedText[] = []
  const failures: SpeechFailure[] = []
  const changes: string[] = []
  const usage: [string, number][] = []
  const callTranscription = new CallTranscription({
    transcribers: transcription.map(({ transcriber }) => transcriber),
    clock: time.clock,
    rateHz: 8_000,
    getHints: () => ({ ...hints }),
    onText: (text) => texts.push(text),
    onFailure: (_, failure) => failures.push(failure),
    onChange: (status) => changes.push(status),
    onUsage: (model, seconds) => usage.push([model, seconds]),
  })
  callTranscription.open()
  const push = async (frame: Int16Array, durationMs: number): Promise<void> => {
    for (let passed = 0; passed < durationMs; passed += 20) {
      callTranscription.push(frame)
      await flushPromises()
    }
  }
  return { transcription: callTranscription, expected: hints, time, texts, failures, changes, usage, push }
}

test('replaces an interim text with what the next transcriber hears', async () => {
  const first = createScriptedTranscriber([
    { text: '', interims: [{ afterMs: 200, text: 'I want' }], failsAfterMs: 400 },
  ])
  const second = createScriptedTranscriber([{ text: 'I want pizza' }, { text: 'and beer' }])
  const { transcription, texts, changes, push, usage } = openTranscription(first, second)
  await push(SILENCE, 1_000)
  transcription.voiceStarted(0)
  await push(VOICE, 600)
  await push(SILENCE, 400)
  transcription.voiceEnded(0)
  await push(SILENCE, 400)
  await push(VOICE, 300)
  await push(SILENCE, 400)
  const finals = texts.filter(({ stage }) => stage === 'final')
  expect(finals.map(({ text }) => text)).toEqual(['I want pizza', 'and beer'])
  expect(finals[0]?.utteranceId).toBe(texts[0]?.utteranceId)
  expect(finals[1]?.utteranceId).not.toBe(finals[0]?.utteranceId)
  expect(changes).toEqual(['replaced'])
  transcription.close()
  expect(usage).toHaveLength(2)
  first.assertConsumed()
  second.assertConsumed()
})

test('replays to the next transcriber only audio without a final text', async () => {
  const emitters: ((event: TranscriberEvent) => void)[] = []
  const frameCounts = [0, 0]
  const createFakeTranscriber = (index: number) => ({
    transcriber: {
      name: `ear-${index}`,
      finalP99Ms: 300,
      open: ({ onEvent }: TranscriberOptions) => {
        emitters[index] = onEvent
        const push = (): void => {
          frameCounts[index] = (frameCounts[index] ?? 0) + 1
        }
        return { push, voiceStarted: () => {}, voiceEnded: () => {}, close: () => {} }
      },
    },
  })
  const { transcription, time, texts, push } = openTranscription(createFakeTranscriber(0), createFakeTranscriber(1))
  transcription.voiceStarted(time.clock.now())
  await push(VOICE, 2_000)
  await time.advance(2_000)
  const words = [{ text: 'pizza', startMs: 500, endMs: 1_400 }]
  emitters[0]?.({ type: 'final', utteranceId: 'one', text: 'pizza', endOfTurn: null, words })
  emitters[0]?.({ type: 'failed', failure: { kind: 'unavailable', message: 'It went away.', retryable: true } })
  expect(frameCounts).toEqual([100, 30])
  emitters[1]?.({ type: 'final', utteranceId: 'one', text: 'and beer', endOfTurn: null, words: [] })
  expect(new Set(texts.map(({ utteranceId }) => utteranceId)).size).toBe(2)
  transcription.close()
})

test('times words correctly if no text arrived before the caller continued', async () => {
  const frameCounts = [0, 0]
  let emit: (event: TranscriberEvent) => void = () => {}
  const createFakeTranscriber = (index: number) => ({
    transcriber: {
      name: `ear-${index}`,
      finalP99Ms: 2_010,
      open: ({ onEvent }: TranscriberOptions) => {
        emit = onEvent
        const push = (): void => {
          frameCounts[index] = (frameCounts[index] ?? 0) + 1
        }
        return { push, voiceStarted: () => {}, voiceEnded: () => {}, close: () => {} }
      },
    },
  })
  const { transcription, time, texts } = openTranscription(createFakeTranscriber(0), createFakeTranscriber(1))
  const startedAtMs = time.clock.now()
  const pass = async (durationMs: number): Promise<void> => {
    for (let passed = 0; passed < durationMs; passed += 20) {
      transcription.push(VOICE)
      await time.advance(20)
    }
  }
  transcription.voiceStarted(startedAtMs)
  await pass(1_000)
  transcription.voiceEnded(startedAtMs + 800)
  await pass(200)
  transcription.voiceStarted(startedAtMs + 1_200)
  await pass(800)
  emit({ type: 'interim', utteranceId: 'one', text: 'so it', stable: false })
  const words = [
    { text: 'so', startMs: 0, endMs: 300 },
    { text: 'it', startMs: 1_200, endMs: 1_400 },
  ]
  emit({ type: 'final', utteranceId: 'one', text: 'so it', endOfTurn: null, words })
  expect(texts.at(-1)?.words.map(({ startMs }) => startMs - startedAtMs)).toEqual([0, 1_200])
  // The next transcriber gets the 600 ms that follow in the same voice.
  emit({ type: 'failed', failure: { kind: 'unavailable', message: 'It went away.', retryable: true } })
  expect(frameCounts[1]).toBe(30)
  await pass(400)
  transcription.voiceEnded(time.clock.now() - 200)
  const lateWords = [{ text: 'is', startMs: 600, endMs: 800 }]
  emit({ type: 'final', utteranceId: 'two', text: 'is', endOfTurn: null, words: lateWords })
  expect((texts.at(-1)?.words[0]?.startMs ?? 0) - startedAtMs).toBe(1_800)
  // Everything is transcribed: the next voice is the first without text.
  transcription.voiceStarted(startedAtMs + 9_000)
  emit({ type: 'final', utteranceId: 'three', text: 'so', endOfTurn: null, words: words.slice(0, 1) })
  expect((texts.at(-1)?.words[0]?.startMs ?? 0) - startedAtMs).toBe(9_000)
  // The previous voice has a text: another utterance belongs to the current voice.
  emit({ type: 'interim', utteranceId: 'four', text: 'so', stable: false })
  transcription.voiceEnded(startedAtMs + 9_500)
  transcription.voiceStarted(startedAtMs + 10_000)
  emit({ type: 'final', utteranceId: 'five', text: 'so', endOfTurn: null, words: words.slice(0, 1) })
  expect((texts.at(-1)?.words[0]?.startMs ?? 0) - startedAtMs).toBe(10_000)
  transcription.close()
})

test('opens no transcriber after the call has ended', () => {
  const [first, second] = [createScriptedTranscriber([]), createScriptedTranscriber([])]
  const { transcription } = openTranscription(first, second)
  transcription.close()
  transcription.open()
  expect(first.countOpenSessions() + second.countOpenSessions()).toBe(0)
})

test('reports gone after the last transcriber failed, without leaks', async () => {
  const failing = { text: '', failsAfterMs: 100 }
  const lastTranscriber = createScriptedTranscriber([failing, failing])
  const { transcription, failures, changes, time, push } = openTranscription(lastTranscriber)
  transcription.voiceStarted(0)
  await push(VOICE, 1_000)
  transcription.voiceEnded(1_000)
  expect(failures).toHaveLength(2)
  expect(changes).toEqual(['replaced', 'gone'])
  expect(transcription.transcriber).toBeNull()
  transcription.close()
  expect(time.countPendingTimers()).toBe(0)
})

test('retries the last transcriber after each failure that follows a success', async () => {
  const failing = { text: '', failsAfterMs: 100 }
  const lastTranscriber = createScriptedTranscriber([failing, { text: 'a table' }, failing, { text: 'for two' }])
  const { transcription, failures, changes, texts, time, push } = openTranscription(lastTranscriber)
  for (const startMs of [0, 3_000]) {
    transcription.voiceStarted(startMs)
    await push(VOICE, 600)
    transcription.voiceEnded(startMs + 600)
    await push(SILENCE, 1_000)
  }
  const finals = texts.filter(({ stage }) => stage === 'final')
  expect(finals.map(({ text }) => text)).toEqual(['a table', 'for two'])
  expect(failures).toHaveLength(2)
  expect(changes).toEqual(['replaced', 'replaced'])
  transcription.close()
  expect(time.countPendingTimers()).toBe(0)
})

test('does not retry a last transcriber that failed permanently', async () => {
  const emitters: ((event: TranscriberEvent) => void)[] = []
  const transcriber: Transcriber = {
    name: 'only',
    finalP99Ms: 300,
    open({ onEvent }) {
      emitters.push(onEvent)
      return { push: () => {}, voiceStarted: () => {}, voiceEnded: () => {}, close: () => {} }
    },
  }
  const { transcription, changes } = openTranscription({ transcriber })
  emitters[0]?.({ type: 'failed', failure: { kind: 'unauthorized', message: 'Wrong key.', retryable: false } })
  expect(changes).toEqual(['gone'])
  transcription.close()
})

test('switches the language after a handover without losing speech', async () => {
  const scripted = createScriptedTranscriber([{ text: 'connect me to Lyon' }, { text: 'bonjour' }])
  const openedHints: (readonly string[])[] = []
  const transcriber: Transcriber = {
    ...scripted.transcriber,
    open(options) {
      openedHints.push([options.language, ...options.keywords])
      return scripted.transcriber.open(options)
    },
  }
  const { transcription, expected, texts, push, time } = openTranscription({ transcriber })
  transcription.voiceStarted(0)
  await push(VOICE, 400)
  expected.language = 'fr-FR'
  expected.keywords = ['Lyon']
  transcription.refreshHints()
  await push(VOICE, 400)
  transcription.voiceEnded(800)
  await push(SILENCE, 400)
  expect(openedHints).toEqual([
    ['en-US', 'Parley'],
    ['fr-FR', 'Lyon'],
  ])
  transcription.voiceStarted(2_000)
  await push(VOICE, 400)
  transcription.voiceEnded(2_400)
  await push(SILENCE, 400)
  const finals = texts.filter(({ stage }) => stage === 'final')
  expect(finals.map(({ text }) => text)).toEqual(['connect me to Lyon', 'bonjour'])
  expect(new Set(finals.map(({ utteranceId }) => utteranceId)).size).toBe(2)
  transcription.close()
  scripted.assertConsumed()
  expect(time.countPendingTimers()).toBe(0)
})

test('hints that a transcriber can change apply at once, without another session', async () => {
  const scripted = createScriptedTranscriber([{ text: 'connect me to Lyon' }])
  const hints: RecognitionHints[] = []
  const transcriber: Transcriber = {
    ...scripted.transcriber,
    open(options) {
      hints.push({ keywords: options.keywords, language: options.language, endpointingMs: options.endpointingMs ?? 0 })
      const session = scripted.transcriber.open(options)
      return {
        push: (frame) => session.push(frame),
        voiceStarted: () => session.voiceStarted(),
        voiceEnded: () => session.voiceEnded(),
        close: () => session.close(),
        changeHints: ({ language, keywords, endpointingMs = null }) =>
          hints.push({ language, keywords, endpointingMs }),
      }
    },
  }
  const other = createScriptedTranscriber([], { name: 'nova' })
  const { transcription, expected, texts, usage, push } = openTranscription({ transcriber })
  transcription.voiceStarted(0)
  await push(VOICE, 400)
  expected.keywords = ['Lyon']
  expected.endpointingMs = 800
  transcription.refreshHints()
  transcription.refreshHints()
  expect(hints).toEqual([
    { language: 'en-US', keywords: ['Parley'], endpointingMs: 0 },
    { language: 'en-US', keywords: ['Lyon'], endpointingMs: 800 },
  ])
  await push(VOICE, 400)
  transcription.voiceEnded(800)
  await push(SILENCE, 400)
  expect(texts.filter(({ stage }) => stage === 'final').map(({ text }) => text)).toEqual(['connect me to Lyon'])
  expect(usage).toEqual([])
  expected.transcribers = [other.transcriber]
  transcription.refreshHints()
  expect([transcription.transcriber?.name, hints.length]).toEqual(['nova', 2])
  transcription.close()
})

test('after a handover, the transcribers of the new agent take over', async () => {
  const english = createScriptedTranscriber([{ text: 'connect me to Berlin' }], { name: 'flux' })
  const german = createScriptedTranscriber([{ text: 'guten Tag', failsAfterMs: 200 }], { name: 'nova' })
  const fallback = createScriptedTranscriber([{ text: 'guten Tag' }, { text: 'auf Wiedersehen' }], { name: 'scribe' })
  const { transcription, expected, texts, changes, usage, push } = openTranscription(english)
  transcription.voiceStarted(0)
  await push(VOICE, 400)
  expected.language = 'de-DE'
  expected.transcribers = [german.transcriber, fallback.transcriber]
  transcription.refreshHints()
  expect(transcription.transcriber?.name).toBe('flux')
  transcription.voiceEnded(400)
  await push(SILENCE, 1_000)
  expect(transcription.transcriber?.name).toBe('nova')
  transcription.voiceStarted(2_000)
  await push(VOICE, 400)
  transcription.voiceEnded(2_400)
  await push(SILENCE, 400)
  expected.transcribers = [german.transcriber, fallback.transcriber]
  transcription.refreshHints()
  expect(transcription.transcriber?.name).toBe('scribe')
  transcription.voiceStarted(4_000)
  await push(VOICE, 400)
  transcription.voiceEnded(4_400)
  await push(SILENCE, 400)
  const finals = texts.filter(({ stage }) => stage === 'final')
  expect(finals.map(({ text }) => text)).toEqual(['connect me to Berlin', 'guten Tag', 'auf Wiedersehen'])
  expect(changes).toEqual(['replaced', 'replaced'])
  transcription.close()
  expect(usage.map(([model]) => model)).toEqual(['flux', 'nova', 'scribe'])
  for (const scripted of [english, german, fallback]) scripted.assertConsumed()
})

test('an agent without transcribers of its own keeps those of the call', async () => {
  const { transcription, expected, changes, push, usage } = openTranscription(createScriptedTranscriber([]))
  await push(SILENCE, 400)
  transcription.refreshHints()
  expect(usage).toEqual([])
  expected.language = 'de-DE'
  transcription.refreshHints()
  expect(usage).toHaveLength(1)
  expect([transcription.transcriber?.name, ...changes]).toEqual(['scripted/transcriber'])
  transcription.close()
})
