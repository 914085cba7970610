import { expect, test } from 'vitest'
import { createScriptedModel, replyWith } from '../../testing/scripted-model.ts'
import { createScriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'
import { createPlainTurns } from './plain-turns-test-kit.ts'

const TEXT = 'One two three four five six seven eight.'

test.each([
  ['fails', { failsAfterWords: 3 }],
  ['stalls', { stallsAfterWords: 3 }],
])('replaces a voice that %s within a sentence without repeating words', async (_, fault) => {
  const model = createScriptedModel([replyWith(TEXT), replyWith('And again.')])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    voices: [{ script: [fault] }, { script: [{ expect: 'four five six seven eight.' }, { expect: 'And again.' }] }],
  })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listHeardWords().join(' ')).toBe(TEXT)
  expect(scenario.listEntries('agent-message')[0]).toMatchObject({ content: TEXT, interrupted: false })
  expect(scenario.listEntries('warning')).toMatchObject([{ code: 'voice-failed' }])
  scenario.caller.sendText('again')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  for (const voice of scenario.voices) voice.assertConsumed()
  scenario.session.end('manual_stopped', false)
  await scenario.run(20)
  scenario.assertNoLeaks()
})

test('replaces a voice that stalls without audio in advance after at most 2.5 s of silence', async () => {
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: createScriptedModel([replyWith(TEXT)]) },
    voices: [{ script: [{ stallsAfterWords: 3, isPaced: true }] }, { script: [{ delayMs: 800 }] }],
  })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listHeardWords().join(' ')).toBe(TEXT)
  const times = scenario.listAudibleFrames().map(({ atMs }) => atMs)
  const gaps = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0))
  expect(Math.max(...gaps)).toBeLessThanOrEqual(2_500)
  scenario.session.end('manual_stopped', false)
  await scenario.run(20)
  scenario.assertNoLeaks()
})

test('continues after speech that no voice can synthesize', async () => {
  const model = createScriptedModel([replyWith(TEXT), replyWith('Now it works.')])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    voices: [{ script: [{ failsAfterWords: 0 }] }],
  })
  scenario.caller.sendText('count')
  await scenario.run(1_000)
  expect(scenario.listHeardWords()).toEqual([])
  scenario.caller.sendText('again')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listHeardWords().join(' ')).toBe('Now it works.')
})

test('replays a whole utterance to the next transcriber when one fails', async () => {
  const model = createScriptedModel([replyWith('At nine.')])
  const first = createScriptedTranscriber(
    [{ text: 'when do you open', interims: [{ afterMs: 300, text: 'when' }], failsAfterMs: 700 }],
    { name: 'scripted/first' },
  )
  const second = createScriptedTranscriber([{ text: 'when do you open' }], { name: 'scripted/second' })
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    transcribers: [first.transcriber, second.transcriber],
  })
  await scenario.run(1_000)
  scenario.speakAsCaller(1_200)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listEntries('user-message').map(({ content }) => content)).toEqual(['when do you open'])
  expect(second.getHeardVoiceMs()).toBeGreaterThanOrEqual(1_200)
  expect(scenario.listEntries('warning')).toMatchObject([{ code: 'recogniser-failed' }])
  await scenario.hangUp()
  expect(scenario.listEntries('usage').filter(({ product }) => product === 'transcription')).toHaveLength(2)
  first.assertConsumed()
  second.assertConsumed()
})

test('replaces a transcriber after three missed utterances and keeps the third', async () => {
  const model = createScriptedModel([replyWith('At nine.')])
  const stalls = { text: 'lost', stalls: true }
  const first = createScriptedTranscriber([stalls, stalls, stalls], { name: 'scripted/first' })
  const second = createScriptedTranscriber([{ text: 'are you still there' }], { name: 'scripted/second' })
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: model },
    transcribers: [first.transcriber, second.transcriber],
  })
  await scenario.run(1_000)
  for (let round = 0; round < 3; round += 1) {
    scenario.speakAsCaller(900)
    await scenario.run(4_500)
  }
  await scenario.runUntil(() => scenario.listEntries('user-message').length === 1)
  expect(scenario.listEntries('user-message')[0]?.content).toBe('are you still there')
  first.assertConsumed()
})

test('resumes a waiting answer when all pending speech fails', async () => {
  const sentences = Array.from({ length: 40 }, (_, index) => {
    return `Sentence number ${index} has some words in it, and it goes on for about a hundred characters in all. `
  })
  const failing = Array.from({ length: 16 }, () => ({ failsAfterWords: 0 }))
  const scenario = await startVoiceScenario({
    models: { main: createScriptedModel([replyWith(...sentences)]) },
    voices: [{ script: failing, defaultStep: { msPerWord: 60 } }],
  })
  scenario.caller.sendText('tell me everything')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(
    scenario
      .listHeardWords()
      .join(' ')
      .endsWith(sentences.at(-1)?.trim() ?? '-'),
  ).toBe(true)
  const codes = new Set(scenario.listEntries('warning').map(({ code }) => code))
  expect([...codes]).toEqual(['voice-failed', 'speech-stalled'])
})

/** Returns a call's synthesis usage for this answer. */
async function getSynthesisUsage(
  voices: NonNullable<Parameters<typeof startVoiceScenario>[0]>['voices'],
  untilMs: number | null = null,
): Promise<unknown[]> {
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main: createScriptedModel([replyWith(TEXT)]) },
    ...(voices !== undefined && { voices }),
  })
  scenario.caller.sendText('count')
  if (untilMs === null) await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  else await scenario.run(untilMs)
  scenario.session.end('manual_stopped', false)
  await scenario.run(20)
  scenario.assertNoLeaks()
  const usageEntries = scenario.listEntries('usage').filter(({ product }) => product === 'synthesis')
  return usageEntries.map(({ model, quantity, unit }) => [model, quantity, unit])
}

test('counts characters and seconds', async () => {
  expect(await getSynthesisUsage([{ defaultStep: { msPerWord: 250 } }])).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 2, 'second'],
  ])
})

test('charges each voice for its own audio, and zero seconds without any', async () => {
  const remainingText = 'four five six seven eight.'
  expect(await getSynthesisUsage([{ script: [{ failsAfterWords: 3 }] }, {}])).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 0.75, 'second'],
    ['scripted/voice-1', remainingText.length, 'character'],
    ['scripted/voice-1', 1.25, 'second'],
  ])
  expect(await getSynthesisUsage([{ script: [{ failsAfterWords: 0 }] }, {}])).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 0, 'second'],
    ['scripted/voice-1', TEXT.length, 'character'],
    ['scripted/voice-1', 2, 'second'],
  ])
})

test('counts audio that was synthesized but not heard', async () => {
  expect(await getSynthesisUsage([{ script: [{ stallsAfterWords: 4 }] }], 500)).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 1, 'second'],
  ])
})
