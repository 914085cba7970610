import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { promptTranscript, startVoiceScenario } from '../../testing/voice-scenario.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const TEXT = 'One two three four five six seven eight nine ten.'
const LONG =
  'Hello and welcome to the museum of the sea. Today we are open until six. The whales are on the first floor, and the ships are behind them. What would you like to see?'

test('times words after a pause as they were heard', async () => {
  const model = scriptedModel([says(TEXT)])
  const scenario = await startVoiceScenario({ machine: plainTurns(), models: { main: model } })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.heardWords().length === 5)
  scenario.caller.sendText('pause')
  await scenario.run(700)
  scenario.caller.sendText('resume')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  const [said] = scenario.entries('agent-message')
  const words = said?.words ?? []
  expect(words.map(({ word }) => word).join(' ')).toBe(TEXT)
  expect((words[0]?.startMs ?? 0) - (said?.startMs ?? 0)).toBe(0)
  expect(Math.abs((words.at(-1)?.endMs ?? 0) - (said?.endMs ?? 0))).toBeLessThanOrEqual(120)
  // The word at the seam was repeated; later words shift by the pause.
  const gaps = words.slice(1).map(({ startMs }, index) => startMs - (words[index]?.endMs ?? 0))
  expect(gaps.filter((gap) => gap > 0)).toHaveLength(1)
  expect(Math.max(...gaps)).toBeGreaterThan(500)
})

test('ignores a playback report sent before the agent was interrupted', async () => {
  const model = scriptedModel([says(`${TEXT} ${TEXT}`)])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: model },
    voices: [{ otherwise: { msPerWord: 60 } }],
    leg: { reportDelayMs: 120 },
  })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.heardWords().length === 12)
  scenario.callerSpeaks(200)
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  const remembered = scenario.entries('agent-message')[0]?.content.split(' ') ?? []
  expect(Math.abs(scenario.heardWords().length - remembered.length)).toBeLessThanOrEqual(1)
})

test('speaks a long opening in clauses and records one message', async () => {
  const model = scriptedModel([says('This way.')])
  const scenario = await startVoiceScenario({ models: { main: model }, opening: { type: 'say', text: LONG } })
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  expect(scenario.voices[0]?.requests.length).toBeGreaterThan(2)
  expect(scenario.heardWords().join(' ')).toBe(LONG)
  expect(scenario.entries('agent-message')).toMatchObject([
    { kind: 'opening', content: LONG, generatedContent: LONG, interrupted: false },
  ])
  scenario.caller.sendText('the whales')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  expect(model.requests.map(promptTranscript)).toEqual([[`assistant: ${LONG}`, 'user: the whales']])
})

test('remembers a long `say` text up to the interruption', async () => {
  const model = scriptedModel([says('Sure.')])
  const scenario = await startVoiceScenario({ models: { main: model } })
  scenario.session.say(LONG, true)
  await scenario.runUntil(() => scenario.heardWords().length === 15)
  scenario.caller.sendText('stop it')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  const [said] = scenario.entries('agent-message')
  expect(said).toMatchObject({ kind: 'say', generatedContent: LONG, interrupted: true })
  expect(LONG.startsWith(said?.content ?? '-')).toBe(true)
  // The 15th word was cut, and the 14th not yet confirmed.
  expect(
    LONG.split(' ')
      .slice(0, 14)
      .join(' ')
      .startsWith(said?.content ?? '-'),
  ).toBe(true)
  expect(said?.content.split(' ').length).toBeGreaterThanOrEqual(13)
})

test('limits how far synthesis runs ahead and speaks the whole answer', async () => {
  const sentences = Array.from({ length: 60 }, (_, index) => `This is sentence number ${index} of a very long answer. `)
  const model = scriptedModel([says(...sentences)])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: model },
    voices: [{ otherwise: { msPerWord: 60 } }],
  })
  scenario.caller.sendText('tell me everything')
  let asked = 0
  let maxAhead = 0
  await scenario.runUntil(() => {
    const requestedNow = scenario.voices[0]?.requests.reduce((sum, { text }) => sum + text.length, 0) ?? 0
    // Synthesis is furthest ahead right after a request.
    if (requestedNow > asked) maxAhead = Math.max(maxAhead, requestedNow - scenario.heardWords().join(' ').length)
    asked = requestedNow
    return scenario.entries('agent-message').length === 1
  })
  expect(maxAhead).toBeGreaterThan(50)
  expect(maxAhead).toBeLessThan(1_000)
  expect(scenario.heardWords().join(' ')).toBe(sentences.join('').trim())
})
