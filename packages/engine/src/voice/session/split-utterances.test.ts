import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { promptTranscript, startVoiceScenario } from '../../testing/voice-scenario.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const TEXT = 'One two three four five six seven eight nine ten.'
const LONG =
  'Hello and welcome to the museum of the sea. Today we are open until six. The whales are on the first floor, and the ships are behind them. What would you like to see?'

test('words that are said after a pause have the times at which they were heard', async () => {
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
  // The word at the seam was said twice; what follows it is later by the pause.
  const gaps = words.slice(1).map(({ startMs }, index) => startMs - (words[index]?.endMs ?? 0))
  expect(gaps.filter((gap) => gap > 0)).toHaveLength(1)
  expect(Math.max(...gaps)).toBeGreaterThan(500)
})

test('a position that was under way when the agent was cut off is no answer to that', async () => {
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

test('a long opening is spoken clause by clause, and is one message', async () => {
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

test('a long text that is said from outside and cut is remembered up to the cut', async () => {
  const model = scriptedModel([says('Sure.')])
  const scenario = await startVoiceScenario({ models: { main: model } })
  scenario.session.say(LONG, true)
  await scenario.runUntil(() => scenario.heardWords().length === 15)
  scenario.caller.sendText('stop it')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  const [said] = scenario.entries('agent-message')
  expect(said).toMatchObject({ kind: 'say', generatedContent: LONG, interrupted: true })
  expect(LONG.startsWith(said?.content ?? '-')).toBe(true)
  // The fifteenth word was cut; of the fourteenth it was not known yet whether it had been heard.
  expect(
    LONG.split(' ')
      .slice(0, 14)
      .join(' ')
      .startsWith(said?.content ?? '-'),
  ).toBe(true)
  expect(said?.content.split(' ').length).toBeGreaterThanOrEqual(13)
})

test('of an answer that is written at once no more is made into sound than is soon to be heard, and all of it is said', async () => {
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
    // It is furthest ahead when it has just asked for more.
    if (requestedNow > asked) maxAhead = Math.max(maxAhead, requestedNow - scenario.heardWords().join(' ').length)
    asked = requestedNow
    return scenario.entries('agent-message').length === 1
  })
  expect(maxAhead).toBeGreaterThan(50)
  expect(maxAhead).toBeLessThan(1_000)
  expect(scenario.heardWords().join(' ')).toBe(sentences.join('').trim())
})
