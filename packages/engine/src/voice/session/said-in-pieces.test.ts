import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { startVoiceWorld, toldConversation } from '../../testing/voice-world.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const TEXT = 'One two three four five six seven eight nine ten.'
const LONG =
  'Hello and welcome to the museum of the sea. Today we are open until six. The whales are on the first floor, and the ships are behind them. What would you like to see?'

test('words that are said after a pause have the times at which they were heard', async () => {
  const model = scriptedModel([says(TEXT)])
  const world = await startVoiceWorld({ machine: plainTurns(), models: { main: model } })
  world.caller.sendText('count')
  await world.runUntil(() => world.heardWords().length === 5)
  world.caller.sendText('pause')
  await world.run(700)
  world.caller.sendText('resume')
  await world.runUntil(() => world.entries('agent-message').length === 1)
  const [said] = world.entries('agent-message')
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
  const world = await startVoiceWorld({
    machine: plainTurns(),
    models: { main: model },
    voices: [{ otherwise: { msPerWord: 60 } }],
    leg: { reportDelayMs: 120 },
  })
  world.caller.sendText('count')
  await world.runUntil(() => world.heardWords().length === 12)
  world.callerSpeaks(200)
  await world.runUntil(() => world.entries('agent-message').length === 1)
  const remembered = world.entries('agent-message')[0]?.content.split(' ') ?? []
  expect(Math.abs(world.heardWords().length - remembered.length)).toBeLessThanOrEqual(1)
})

test('a long opening is spoken clause by clause, and is one message', async () => {
  const model = scriptedModel([says('This way.')])
  const world = await startVoiceWorld({ models: { main: model }, opening: { type: 'say', text: LONG } })
  await world.runUntil(() => world.entries('agent-message').length === 1)
  expect(world.voices[0]?.requests.length).toBeGreaterThan(2)
  expect(world.heardWords().join(' ')).toBe(LONG)
  expect(world.entries('agent-message')).toMatchObject([
    { kind: 'opening', content: LONG, generatedContent: LONG, interrupted: false },
  ])
  world.caller.sendText('the whales')
  await world.runUntil(() => world.entries('agent-message').length === 2)
  expect(model.requests.map(toldConversation)).toEqual([[`assistant: ${LONG}`, 'user: the whales']])
})

test('a long text that is said from outside and cut is remembered up to the cut', async () => {
  const model = scriptedModel([says('Sure.')])
  const world = await startVoiceWorld({ models: { main: model } })
  world.session.say(LONG, true)
  await world.runUntil(() => world.heardWords().length === 15)
  world.caller.sendText('stop it')
  await world.runUntil(() => world.entries('agent-message').length === 2)
  const [said] = world.entries('agent-message')
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
  const world = await startVoiceWorld({
    machine: plainTurns(),
    models: { main: model },
    voices: [{ otherwise: { msPerWord: 60 } }],
  })
  world.caller.sendText('tell me everything')
  let asked = 0
  let mostAhead = 0
  await world.runUntil(() => {
    const askedNow = world.voices[0]?.requests.reduce((sum, { text }) => sum + text.length, 0) ?? 0
    // It is furthest ahead when it has just asked for more.
    if (askedNow > asked) mostAhead = Math.max(mostAhead, askedNow - world.heardWords().join(' ').length)
    asked = askedNow
    return world.entries('agent-message').length === 1
  })
  expect(mostAhead).toBeGreaterThan(50)
  expect(mostAhead).toBeLessThan(1_000)
  expect(world.heardWords().join(' ')).toBe(sentences.join('').trim())
})
