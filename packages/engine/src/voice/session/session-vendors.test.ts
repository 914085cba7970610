import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const TEXT = 'One two three four five six seven eight.'

test.each([
  ['dies', { failsAfterWords: 3 }],
  ['falls silent', { stallsAfterWords: 3 }],
])('a voice that %s in the middle of a sentence is replaced: the rest is said, and nothing twice', async (_, fault) => {
  const model = scriptedModel([says(TEXT), says('And again.')])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: model },
    voices: [{ script: [fault] }, { script: [{ expect: 'four five six seven eight.' }, { expect: 'And again.' }] }],
  })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  expect(scenario.heardWords().join(' ')).toBe(TEXT)
  expect(scenario.entries('agent-message')[0]).toMatchObject({ content: TEXT, interrupted: false })
  expect(scenario.entries('warning')).toMatchObject([{ code: 'voice-failed' }])
  scenario.caller.sendText('again')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  for (const voice of scenario.voices) voice.assertConsumed()
  scenario.session.end('manual_stopped', false)
  await scenario.run(20)
  scenario.assertNoLeaks()
})

test('speech that no voice can make is told, and the call goes on', async () => {
  const model = scriptedModel([says(TEXT), says('Now it works.')])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: model },
    voices: [{ script: [{ failsAfterWords: 0 }] }],
  })
  scenario.caller.sendText('count')
  await scenario.run(1_000)
  expect(scenario.heardWords()).toEqual([])
  scenario.caller.sendText('again')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  expect(scenario.heardWords().join(' ')).toBe('Now it works.')
})

test('a recogniser that dies in the middle of an utterance is replaced by one that hears all of it', async () => {
  const model = scriptedModel([says('At nine.')])
  const first = scriptedTranscriber(
    [{ text: 'when do you open', interims: [{ afterMs: 300, text: 'when' }], failsAfterMs: 700 }],
    { name: 'scripted/first' },
  )
  const second = scriptedTranscriber([{ text: 'when do you open' }], { name: 'scripted/second' })
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: model },
    transcribers: [first.transcriber, second.transcriber],
  })
  await scenario.run(1_000)
  scenario.callerSpeaks(1_200)
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  expect(scenario.entries('user-message').map(({ content }) => content)).toEqual(['when do you open'])
  expect(second.heardVoiceMs()).toBeGreaterThanOrEqual(1_200)
  expect(scenario.entries('warning')).toMatchObject([{ code: 'recogniser-failed' }])
  scenario.caller.hangUp()
  await scenario.run(20)
  expect(scenario.entries('usage').filter(({ product }) => product === 'transcription')).toHaveLength(2)
  first.assertConsumed()
  second.assertConsumed()
  scenario.assertNoLeaks()
})

test('a recogniser that says nothing three times is replaced, and the third utterance is not lost', async () => {
  const model = scriptedModel([says('At nine.')])
  const stalls = { text: 'lost', stalls: true }
  const first = scriptedTranscriber([stalls, stalls, stalls], { name: 'scripted/first' })
  const second = scriptedTranscriber([{ text: 'are you still there' }], { name: 'scripted/second' })
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: model },
    transcribers: [first.transcriber, second.transcriber],
  })
  await scenario.run(1_000)
  for (let round = 0; round < 3; round += 1) {
    scenario.callerSpeaks(900)
    await scenario.run(4_500)
  }
  await scenario.runUntil(() => scenario.entries('user-message').length === 1)
  expect(scenario.entries('user-message')[0]?.content).toBe('are you still there')
  first.assertConsumed()
})

test('an answer that waits for room goes on when nothing of what fills it can be spoken', async () => {
  const sentences = Array.from({ length: 40 }, (_, index) => {
    return `Sentence number ${index} has some words in it, and it goes on for about a hundred characters in all. `
  })
  const failing = Array.from({ length: 16 }, () => ({ failsAfterWords: 0 }))
  const scenario = await startVoiceScenario({
    models: { main: scriptedModel([says(...sentences)]) },
    voices: [{ script: failing, otherwise: { msPerWord: 60 } }],
  })
  scenario.caller.sendText('tell me everything')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  expect(
    scenario
      .heardWords()
      .join(' ')
      .endsWith(sentences.at(-1)?.trim() ?? '-'),
  ).toBe(true)
  const codes = new Set(scenario.entries('warning').map(({ code }) => code))
  expect([...codes]).toEqual(['voice-failed', 'speech-stalled'])
})
