import { describe, expect, test } from 'vitest'
import { openTranscription } from '../speech-test-kit.ts'
import { openTestScheduler } from './moonshine-test-kit.ts'

/** Loud noise in place of a voice. */
function createVoice(durationMs: number): Int16Array {
  return Int16Array.from({ length: durationMs * 16 }, (_, index) => (index % 7 < 3 ? 6_000 : -6_000))
}

async function setUp() {
  const setup = openTestScheduler()
  const transcription = openTranscription(setup.transcriber)
  const recognizer = setup.getProcess()
  await recognizer.load()
  return {
    ...setup,
    ...transcription,
    recognizer,
    /** Plays voice that the caller started just now. */
    startVoice(durationMs: number): void {
      transcription.session.voiceStarted()
      transcription.push(createVoice(durationMs))
    },
    /** Plays the silence that ends the voice. */
    endVoice(): void {
      transcription.pushSilence(200)
      transcription.session.voiceEnded()
    },
    getRequestedMs: () => recognizer.requests.map(({ samples }) => samples.length / 16),
    getTexts: () => transcription.events.map((event) => 'text' in event && [event.type, event.utteranceId, event.text]),
  }
}

describe('an utterance', () => {
  test('is recognized when the voice pauses, so that its text is known when the voice ends', async () => {
    const { pushSilence, startVoice, endVoice, session, recognizer, getRequestedMs, getTexts, waitForEvents } =
      await setUp()
    pushSilence(1_000)
    startVoice(600)
    pushSilence(80)
    expect(getRequestedMs()).toEqual([500 + 600 + 80])
    await recognizer.answer('Yes.')
    expect(getTexts()).toEqual([['interim', 'utterance-1', 'Yes.']])
    pushSilence(120)
    session.voiceEnded()
    await waitForEvents(2)
    expect(getTexts()[1]).toEqual(['final', 'utterance-1', 'Yes.'])
    pushSilence(500)
    startVoice(600)
    endVoice()
    await recognizer.answer('No.')
    expect(getTexts().at(-1)).toEqual(['final', 'utterance-2', 'No.'])
    expect(recognizer.requests).toHaveLength(2)
  })

  test('is recognized again if voice followed the pause, with the last text as a draft', async () => {
    const { startVoice, push, pushSilence, endVoice, recognizer, getTexts } = await setUp()
    startVoice(300)
    pushSilence(80)
    await recognizer.answer('I', [5, 6])
    push(createVoice(200))
    endVoice()
    await recognizer.answer('I do.', [5, 7])
    expect(recognizer.requests.map(({ draft }) => draft)).toEqual([[], [5, 6]])
    expect(getTexts()).toEqual([
      ['interim', 'utterance-1', 'I'],
      ['final', 'utterance-1', 'I do.'],
    ])
  })

  test('that ends quietly is recognized again', async () => {
    const { startVoice, push, endVoice, recognizer, getRequestedMs } = await setUp()
    startVoice(300)
    push(createVoice(300).map((sample) => sample / 20))
    await recognizer.answer('Loud.')
    endVoice()
    await recognizer.answer('Loud and quiet.')
    expect(getRequestedMs()).toEqual([380, 800])
  })

  test('has interim texts while it lasts, one request at a time', async () => {
    const { startVoice, push, clock, recognizer, getRequestedMs, getTexts } = await setUp()
    startVoice(700)
    push(createVoice(2_000))
    expect(getRequestedMs()).toEqual([700])
    clock.advance(300)
    await recognizer.answer('One')
    push(createVoice(100))
    clock.advance(300)
    await recognizer.answer('One')
    push(createVoice(700))
    clock.advance(300)
    await recognizer.answer('One two')
    expect(getRequestedMs()).toEqual([700, 2_800, 3_500])
    expect(getTexts()).toEqual([
      ['interim', 'utterance-1', 'One'],
      ['interim', 'utterance-1', 'One two'],
    ])
  })

  test('continues if the caller speaks again before the text is requested', async () => {
    const setup = await setUp()
    const other = openTranscription(setup.transcriber)
    other.session.voiceStarted()
    other.push(createVoice(1_000))
    setup.startVoice(300)
    setup.endVoice()
    setup.pushSilence(40)
    setup.startVoice(300)
    setup.endVoice()
    await setup.recognizer.answer('Other')
    await setup.recognizer.answer('Both.')
    expect(setup.getRequestedMs()[1]).toBe(300 + 200 + 40 + 300 + 200)
    expect(setup.getTexts()).toEqual([['final', 'utterance-1', 'Both.']])
    expect(setup.clock.pendingTimers).toBeLessThanOrEqual(1)
  })

  test('does not repeat audio of the previous one, and texts arrive in order', async () => {
    const { startVoice, pushSilence, endVoice, recognizer, getRequestedMs, getTexts } = await setUp()
    startVoice(300)
    endVoice()
    pushSilence(60)
    startVoice(400)
    endVoice()
    await recognizer.answer('First.')
    await recognizer.answer('Second.')
    // 100 ms of the silence before, and 60 ms after.
    expect(getRequestedMs()).toEqual([380, 160 + 400 + 200])
    expect(getTexts()).toEqual([
      ['final', 'utterance-1', 'First.'],
      ['final', 'utterance-2', 'Second.'],
    ])
  })

  test('is split at a pause once it is long, and at the latest after 16 seconds', async () => {
    const { startVoice, push, pushSilence, endVoice, recognizer, getRequestedMs, getTexts } = await setUp()
    startVoice(9_000)
    pushSilence(80)
    push(createVoice(17_000))
    endVoice()
    while (recognizer.isBusy) await recognizer.answer('Part.')
    expect(getTexts().filter((text) => text && text[0] === 'final')).toEqual([
      ['final', 'utterance-1', 'Part.'],
      ['final', 'utterance-2', 'Part.'],
      ['final', 'utterance-3', 'Part.'],
    ])
    expect(getRequestedMs().slice(1)).toEqual([9_080, 15_980, 1_220])
  })

  test('of noise has an empty final text and no interim text', async () => {
    const { startVoice, endVoice, recognizer, getTexts } = await setUp()
    startVoice(700)
    await recognizer.answer('')
    endVoice()
    await recognizer.answer('')
    expect(getTexts()).toEqual([['final', 'utterance-1', '']])
  })
})

describe('a session', () => {
  test('fails with a retryable failure if the process crashes, and the next one works', async () => {
    const { startVoice, endVoice, recognizer, events, getProcess, transcriber } = await setUp()
    startVoice(300)
    endVoice()
    await recognizer.exit()
    expect(events).toMatchObject([{ type: 'failed', failure: { kind: 'unavailable', retryable: true } }])
    const next = openTranscription(transcriber)
    await getProcess().load()
    next.session.voiceStarted()
    next.push(createVoice(300))
    next.pushSilence(200)
    next.session.voiceEnded()
    await getProcess().answer('Hello.')
    expect(next.events).toMatchObject([{ type: 'final', text: 'Hello.' }])
  })

  test('fails if the text of an ended utterance takes too long', async () => {
    const { startVoice, endVoice, clock, events, waitForEvents } = await setUp()
    startVoice(300)
    endVoice()
    clock.advance(6_000)
    startVoice(300)
    endVoice()
    clock.advance(4_000)
    await waitForEvents(1)
    expect(events).toMatchObject([{ type: 'failed', failure: { kind: 'timeout', retryable: true } }])
  })

  test('waits for the model as long as it is being loaded', async () => {
    const { transcriber, clock, getProcess } = openTestScheduler()
    const { session, push, pushSilence, events } = openTranscription(transcriber)
    session.voiceStarted()
    push(createVoice(300))
    pushSilence(200)
    session.voiceEnded()
    clock.advance(9_000)
    await getProcess().load()
    clock.advance(5_000)
    await getProcess().answer('Early.')
    expect(events).toMatchObject([{ type: 'final', text: 'Early.' }])
    expect(clock.pendingTimers).toBe(0)
  })

  test('emits nothing and leaves no timer after it is closed', async () => {
    const { startVoice, endVoice, session, recognizer, events, clock, scheduler } = await setUp()
    startVoice(300)
    endVoice()
    session.close()
    await recognizer.answer('Late.')
    expect(events).toEqual([])
    await scheduler.close()
    expect(clock.pendingTimers).toBe(0)
  })
})
