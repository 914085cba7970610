import { expect, test } from 'vitest'
import { createScriptedModel, replyWith } from '../../testing/scripted-model.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'
import { createPlainTurns } from './plain-turns-test-kit.ts'

const TEXT = 'One two three four five six seven eight nine ten.'

/** Creates a recorder that stores where agent audio was placed on the caller clock. */
function createTrackRecorder() {
  const placed: { samples: Int16Array; startSample: number }[] = []
  let callerSamples = 0
  return {
    placed,
    callerSamples: () => callerSamples,
    recorder: {
      recordCaller: (frame: Int16Array, startSample: number) => {
        callerSamples = startSample + frame.length
      },
      recordAgent: (samples: Int16Array, startSample: number) => placed.push({ samples: samples.slice(), startSample }),
    },
  }
}

test.each([
  ['that reports what it has played', true],
  ['that reports nothing', false],
])('places agent audio in the recording where the caller heard it on a leg %s', async (_, reportsPlayed) => {
  const model = createScriptedModel([replyWith(TEXT)])
  const { recorder, placed, callerSamples } = createTrackRecorder()
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    leg: { reportsPlayed },
    recorder,
  })
  await scenario.run(1_000)
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listHeardWords().length === 5)
  scenario.caller.sendText('pause')
  await scenario.run(700)
  scenario.caller.sendText('resume')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(callerSamples()).toBeGreaterThan(8_000)
  const heard = scenario.listAudibleFrames()
  const startedAtMs = scenario.time.clock.now() - scenario.getElapsedMs()
  expect(Math.abs(placed.length - heard.length)).toBeLessThanOrEqual(reportsPlayed ? 0 : 12)
  for (const { atMs, frame } of heard) {
    const value = frame[80]
    const atSample = ((atMs - startedAtMs) * 8_000) / 1_000
    const candidates = placed.filter(({ samples }) => samples[80] === value)
    // Within 40 ms of the time at which it was heard.
    expect(candidates.some(({ startSample }) => Math.abs(startSample - atSample) <= 320 + 160)).toBe(true)
  }
})

test('sends nothing while the connection is lost and resumes when it is restored', async () => {
  const model = createScriptedModel([replyWith(TEXT)])
  const scenario = await startVoiceScenario({ models: { main: model } })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listHeardWords().length === 3)
  scenario.setInterrupted(true)
  await scenario.run(3_000)
  const wordsBefore = scenario.listHeardWords()
  scenario.setInterrupted(false)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  const wordsAfter = scenario.listHeardWords().slice(wordsBefore.length)
  const count = TEXT.split(' ')
  expect(wordsAfter.at(-1)).toBe('ten.')
  // At most the word at the seam is repeated.
  expect([wordsBefore.length + wordsAfter.length - count.length, count.slice(-wordsAfter.length)]).toEqual([
    expect.toSatisfy((repeatedWords: number) => repeatedWords >= 0 && repeatedWords <= 1),
    wordsAfter,
  ])
})

test('skips no words after a late pump', async () => {
  const model = createScriptedModel([replyWith(TEXT)])
  const scenario = await startVoiceScenario({ machine: createPlainTurns(), models: { main: model } })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listHeardWords().length === 3)
  // The process is blocked for half a second, and the client's buffer runs empty.
  await scenario.time.advance(500)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listHeardWords().join(' ')).toBe(TEXT)
})

test.each([1, 3])('sends %i frames at a time in time on a leg with a long lead', async (framesPerMessage) => {
  const model = createScriptedModel([replyWith(TEXT)])
  const scenario = await startVoiceScenario({ models: { main: model }, leg: { leadMs: 300, framesPerMessage } })
  const sent: { readonly atMs: number; readonly frames: number }[] = []
  const { leg } = scenario
  const send = leg.send.bind(leg)
  leg.send = (frame, startSample) => {
    const atMs = scenario.getElapsedMs()
    const lastSend = sent.at(-1)
    if (lastSend?.atMs === atMs) sent[sent.length - 1] = { atMs, frames: lastSend.frames + 1 }
    else sent.push({ atMs, frames: 1 })
    send(frame, startSample)
  }
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  const [first, ...rest] = sent
  expect(first?.frames).toBe(300 / 20 + framesPerMessage)
  expect(new Set(rest.slice(0, -1).map(({ frames }) => frames))).toEqual(new Set([framesPerMessage]))
  let frames = first?.frames ?? 0
  for (const { atMs, frames: count } of rest) {
    // Frames sent now are heard in 300 ms at the earliest.
    expect((first?.atMs ?? 0) + frames * 20 - atMs).toBeGreaterThanOrEqual(300 - 10)
    frames += count
  }
})
