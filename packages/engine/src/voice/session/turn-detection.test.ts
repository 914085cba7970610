import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/manual-clock.ts'
import { createScriptedModel, replyWith } from '../../testing/scripted-model.ts'
import {
  createScriptedTranscriber,
  isScriptedVoice,
  type ScriptedUtterance,
} from '../../testing/scripted-transcriber.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'

const RATE_HZ = 8_000

/** Speech of eleven seconds, with a new word every second. */
const LONG_TEXT = 'one two three four five six seven eight nine ten and'
const LONG_UTTERANCE = {
  text: LONG_TEXT,
  interims: LONG_TEXT.split(' ').map((_, index, words) => {
    return { afterMs: (index + 1) * 1_000, text: words.slice(0, index + 1).join(' ') }
  }),
}
const SHORT_UTTERANCES = [
  { text: 'I would like a small table', finalAfterMs: 120 },
  { text: 'and a chair', finalAfterMs: 120 },
]

/** Starts a call whose turn detector answers after `answerMs`. It keeps the durations of the audio that it heard. */
async function startDetectedCall({
  probability = null as number | null,
  answerMs = 50,
  utterances = SHORT_UTTERANCES as readonly ScriptedUtterance[],
}) {
  const time = createManualClock()
  const heardAudio: { durationMs: number; voiceMs: number }[] = []
  let openCount = 0
  const stt = createScriptedTranscriber(utterances)
  const scenario = await startVoiceScenario({
    time,
    rateHz: RATE_HZ,
    models: { main: createScriptedModel(Array.from({ length: 4 }, () => replyWith('Fine.'))) },
    transcribers: [stt.transcriber],
    openTurnDetector() {
      openCount += 1
      return {
        estimate(samples) {
          heardAudio.push({ durationMs: (samples.length * 1_000) / RATE_HZ, voiceMs: measureVoiceMs(samples) })
          return new Promise((resolve) => time.clock.after(answerMs, () => resolve(probability)))
        },
        close() {
          openCount -= 1
        },
      }
    },
  })
  const waitForTurn = async (number: number): Promise<number> => {
    await scenario.runUntil(() => scenario.listEntries('user-message').length === number)
    const message = scenario.listEntries('user-message').at(-1)
    return scenario.getElapsedMs() - (message?.endMs ?? 0)
  }
  return { scenario, heardAudio, waitForTurn, countOpen: () => openCount }
}

function measureVoiceMs(samples: Int16Array): number {
  let voiceMs = 0
  for (let start = 0; start < samples.length; start += RATE_HZ / 50)
    if (isScriptedVoice(samples.subarray(start, start + RATE_HZ / 50))) voiceMs += 20
  return voiceMs
}

test('answers earlier or later as the turn detector says, and closes it', async () => {
  const delays: Record<string, number> = {}
  for (const probability of [0.95, 0.05, null]) {
    const { scenario, waitForTurn, countOpen } = await startDetectedCall({ probability })
    await scenario.run(1_000)
    scenario.speakAsCaller(1_200)
    delays[`${probability}`] = await waitForTurn(1)
    expect(countOpen()).toBe(1)
    await scenario.hangUp()
    expect(countOpen()).toBe(0)
  }
  expect(delays['0.05']).toBeGreaterThan((delays.null ?? 0) + 300)
  expect(delays['0.95']).toBeLessThanOrEqual(delays.null ?? 0)
})

test("asks once for each pause, about the current turn's audio", async () => {
  const { scenario, heardAudio, waitForTurn } = await startDetectedCall({ probability: 0.9 })
  await scenario.run(3_000)
  scenario.speakAsCaller(1_200)
  await waitForTurn(1)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  await scenario.run(2_000)
  scenario.speakAsCaller(400)
  await waitForTurn(2)
  await scenario.hangUp()
  expect(heardAudio).toMatchObject([{ voiceMs: 1_200 }, { voiceMs: 400 }])
  // Half a second before the voice and the silence that ended it.
  for (const { durationMs, voiceMs } of heardAudio) {
    expect(durationMs - voiceMs).toBeGreaterThanOrEqual(600)
    expect(durationMs - voiceMs).toBeLessThanOrEqual(760)
  }
})

test('passes on the last 8 s of a long turn', async () => {
  const { scenario, heardAudio } = await startDetectedCall({ utterances: [LONG_UTTERANCE] })
  await scenario.run(1_000)
  scenario.speakAsCaller(11_000)
  await scenario.runUntil(() => heardAudio.length === 1)
  await scenario.hangUp()
  expect(heardAudio[0]?.durationMs).toBe(8_000)
  expect(heardAudio[0]?.voiceMs).toBeGreaterThanOrEqual(7_700)
})

test('ignores an answer that arrives after the call', async () => {
  const { scenario, heardAudio } = await startDetectedCall({ probability: 0.9, answerMs: 3_000 })
  await scenario.run(500)
  scenario.speakAsCaller(600)
  await scenario.runUntil(() => heardAudio.length === 1)
  scenario.caller.hangUp()
  await scenario.run(4_000)
  expect(scenario.faults).toEqual([])
  scenario.assertNoLeaks()
})
