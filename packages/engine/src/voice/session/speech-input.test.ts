import { expect, test } from 'vitest'
import { createScriptedModel, replyWith } from '../../testing/scripted-model.ts'
import { createScriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'
import { CallerTurns, createCallerClock } from './speech-input.ts'

const RATE_HZ = 8_000
const FRAME_MS = 20
const FRAME_SAMPLES = 160

/** Creates a recording client with a network delay of 30 ms plus jitter. */
function createRecordingClient({ driftRatio = 0 } = {}) {
  const clock = createCallerClock(RATE_HZ)
  let nowMs = 1_000_000
  let samples = 0
  const sendFrame = (networkDelayMs = 0): void => {
    samples += FRAME_SAMPLES
    clock.recordFrame(samples, nowMs + 30 + networkDelayMs)
  }
  return {
    /** Returns the caller clock's error. */
    errorMs: () => clock.getTime(samples) - (nowMs + 30),
    /** Records audio with frames that arrive on time. */
    record(durationMs: number): void {
      for (let passed = 0; passed < durationMs; passed += FRAME_MS) {
        nowMs += FRAME_MS * (1 + driftRatio)
        sendFrame()
      }
    },
    /** Records audio with frames that all arrive at once. */
    recordDelayed(durationMs: number, check: () => void): void {
      for (let passed = 0; passed < durationMs; passed += FRAME_MS) {
        nowMs += FRAME_MS
        sendFrame(durationMs - passed - FRAME_MS)
        check()
      }
    },
    /** Records no audio. */
    stall(durationMs: number): void {
      nowMs += durationMs
    },
  }
}

test.each([300, 6_000, 14_900])('keeps the recording time of frames that were delayed by %i ms', (networkDelayMs) => {
  const caller = createRecordingClient()
  caller.record(5_000)
  caller.recordDelayed(networkDelayMs, () => expect(caller.errorMs()).toBe(0))
  caller.record(10_000)
  expect(caller.errorMs()).toBe(0)
})

test.each([500, 10_000, 60_000])('recovers within seconds after a device stalled for %i ms', (stalledMs) => {
  const caller = createRecordingClient()
  caller.record(5_000)
  caller.stall(stalledMs)
  caller.record(4_000)
  expect(caller.errorMs()).toBe(0)
})

test('recovers at once after a device stalled for longer than any network delay', () => {
  const caller = createRecordingClient()
  caller.record(5_000)
  caller.stall(16_000)
  caller.record(20)
  expect(caller.errorMs()).toBe(0)
})

test('follows a device with a slow clock', () => {
  const caller = createRecordingClient({ driftRatio: 0.005 })
  caller.record(600_000)
  expect(Math.abs(caller.errorMs())).toBeLessThanOrEqual(25)
})

const createTranscript = (utteranceId: string, text: string, stage: 'interim' | 'final' = 'interim') => ({
  utteranceId,
  text,
  stage,
  endOfTurn: null,
  words: stage === 'final' ? text.split(' ').map((word, index) => ({ text: word, startMs: index, endMs: index })) : [],
})

test('joins the words of all utterances of a turn', () => {
  const turns = new CallerTurns()
  expect(turns.addText(createTranscript('a', 'A table', 'final'), 1_000)).toBe('A table')
  expect(turns.addText(createTranscript('b', 'for two', 'final'), 2_000)).toBe('A table for two')
  expect(turns.takeTurn()).toMatchObject({ finalTextAtMs: 2_000 })
  expect(turns.text).toBe('')
})

test('ignores late text of a turn that was taken', () => {
  const turns = new CallerTurns()
  turns.addText(createTranscript('a', 'I see'), 1_000)
  turns.takeTurn()
  expect(turns.addText(createTranscript('a', 'I see.', 'final'), 1_200)).toBe('')
  expect(turns.addText(createTranscript('a', 'I see. But when?', 'final'), 1_300)).toBe('But when?')
  expect(turns.takeTurn().words.map(({ text }) => text)).toEqual(['But', 'when?'])
  expect(turns.addText(createTranscript('b', 'I see. Good'), 1_400)).toBe('I see. Good')
})

test('excludes ignored text from the turn, but not the words that follow it', () => {
  const turns = new CallerTurns()
  turns.addText(createTranscript('tv', 'And now the weather', 'final'), 1_000)
  turns.ignore('tv')
  expect([turns.text, turns.takeTurn()]).toEqual(['', { words: [], finalTextAtMs: null }])
  turns.addText(createTranscript('a', 'the weather'), 2_000)
  turns.ignore('a')
  expect(turns.addText(createTranscript('a', 'the weather stop please', 'final'), 2_400)).toBe('stop please')
  expect(turns.takeTurn().words.map(({ text }) => text)).toEqual(['stop', 'please'])
})

test("shows no caption of an echo of the agent's words", async () => {
  const answer = 'We open at nine in the morning and we close at six in the evening on every day of the week.'
  const scenario = await startVoiceScenario({ models: { main: createScriptedModel([replyWith(answer)]) } })
  scenario.caller.sendText('When do you open?')
  await scenario.run(2_000)
  const echo = { type: 'final', utteranceId: 'e', text: 'at nine in the mourning', endOfTurn: null, words: [] } as const
  scenario.caller.sendRecognized(echo)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.updates.filter((update) => update.type === 'caption' && update.role === 'user')).toHaveLength(1)
  expect(scenario.listEntries('agent-message')).toMatchObject([{ content: answer, interrupted: false }])
})

test('times a turn from its own first voice', async () => {
  const stt = createScriptedTranscriber([{ text: '', stalls: true }, { text: 'when do you open' }])
  const scenario = await startVoiceScenario({
    models: { main: createScriptedModel([replyWith('At nine.'), replyWith('At nine.')]) },
    transcribers: [stt.transcriber],
  })
  await scenario.run(1_000)
  scenario.speakAsCaller(150)
  await scenario.run(8_000)
  scenario.speakAsCaller(1_000)
  await scenario.runUntil(() => scenario.listEntries('user-message').length === 1)
  const [message] = scenario.listEntries('user-message')
  expect(Math.abs((message?.startMs ?? 0) - 9_000)).toBeLessThanOrEqual(20)
})
