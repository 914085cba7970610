import { expect, test } from 'vitest'
import { createManualClock } from '../../testing/manual-clock.ts'
import { createScriptedModel, replyWith, type ScriptedEvent } from '../../testing/scripted-model.ts'
import { createScriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'

/** Time step of the scenario, and the allowed error. */
const STEP_MS = 10
const EXACT_MS = 5

test.each([
  { modelMs: 300, clauseMs: 150, voiceMs: 120, finalAfterMs: 200 },
  { modelMs: 900, clauseMs: 0, voiceMs: 400, finalAfterMs: 300 },
  { modelMs: 50, clauseMs: 700, voiceMs: 50, finalAfterMs: 100 },
])('measures turn latency in parts that add up: %o', async (delays) => {
  const { modelMs, clauseMs, voiceMs, finalAfterMs } = delays
  const time = createManualClock()
  const modelEvents: readonly ScriptedEvent[] = [
    { type: 'delay', delayMs: modelMs },
    { type: 'text-delta', text: 'The shop ' },
    { type: 'delay', delayMs: clauseMs },
    { type: 'text-delta', text: 'opens at nine. ' },
    { type: 'finish', reason: 'stop', usage: null },
  ]
  const stt = createScriptedTranscriber([{ text: 'when do you open', interims: [], finalAfterMs }])
  const scenario = await startVoiceScenario({
    time,
    models: { main: createScriptedModel([{ events: modelEvents }, { events: modelEvents }], { clock: time.clock }) },
    transcribers: [stt.transcriber],
    voices: [{ defaultStep: { delayMs: voiceMs } }],
  })
  await scenario.run(500)
  scenario.speakAsCaller(1_000)
  await scenario.runUntil(() => scenario.listAudibleFrames().length > 0)
  const firstHeardAtMs = scenario.listAudibleFrames()[0]?.atMs ?? 0
  await scenario.hangUp()
  const [turn] = scenario.listEntries('turn')
  const latency = turn?.latency
  if (latency == null) throw new Error('The turn was not answered.')
  const { totalMs, endOfTurnMs, modelFirstTokenMs, firstClauseMs, synthesisFirstAudioMs, playoutMs } = latency
  const parts = [endOfTurnMs, modelFirstTokenMs, firstClauseMs, synthesisFirstAudioMs, playoutMs]
  const sum = parts.reduce<number>((whole, part) => whole + (part ?? 0), 0)
  expect(Math.abs(sum - totalMs), JSON.stringify(latency)).toBeLessThanOrEqual(EXACT_MS)
  const lastVoiceAtMs =
    time.clock.now() - scenario.getElapsedMs() + (scenario.listEntries('user-message')[0]?.endMs ?? 0)
  // A frame counts as heard after its 20 ms.
  expect(Math.abs(firstHeardAtMs - lastVoiceAtMs - totalMs)).toBeLessThanOrEqual(20 + STEP_MS)
  expect(Math.abs((latency.recogniserMs ?? 0) - finalAfterMs)).toBeLessThanOrEqual(STEP_MS)
  expect(Math.abs((firstClauseMs ?? 0) - clauseMs)).toBeLessThanOrEqual(EXACT_MS)
  expect(playoutMs).toBeLessThanOrEqual(20)
  // A speculative answer starts before the end of the turn, which makes its latency negative.
  expect(modelFirstTokenMs).toBeLessThanOrEqual(modelMs + EXACT_MS)
})

test('delays speech only slightly for background sound on a leg with a long lead', async () => {
  const totalMs = async (ambientSound: string): Promise<number> => {
    const stt = createScriptedTranscriber([{ text: 'when do you open' }])
    const scenario = await startVoiceScenario({
      models: { main: createScriptedModel([replyWith('At nine.'), replyWith('At nine.')]) },
      transcribers: [stt.transcriber],
      leg: { leadMs: 300 },
      ambientSound,
    })
    await scenario.run(1_000)
    expect(scenario.listAudibleFrames().length > 0).toBe(ambientSound !== 'none')
    scenario.speakAsCaller(1_000)
    await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
    await scenario.hangUp()
    return scenario.listEntries('turn')[0]?.latency?.totalMs ?? Number.NaN
  }
  expect((await totalMs('coffee-shop')) - (await totalMs('none'))).toBeLessThanOrEqual(110)
})
