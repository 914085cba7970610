import { expect, test } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { answersWith, scriptedHttpTools } from '../../testing/scripted-http-tools.ts'
import { callsTools, says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { startVoiceWorld, toldConversation } from '../../testing/voice-world.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const LONG = 'We are open from nine in the morning until six in the evening, from Monday to Friday.'

test('what an interrupted agent remembers is what the caller heard', async () => {
  const model = scriptedModel([says(LONG), says('Yes, on Saturday.')])
  const ears = scriptedTranscriber([{ text: 'when do you open' }, { text: 'and on saturday' }])
  const world = await startVoiceWorld({
    machine: plainTurns(),
    models: { main: model },
    transcribers: [ears.transcriber],
  })
  await world.run(400)
  world.callerSpeaks(800)
  await world.runUntil(() => world.heardWords().length === 6)
  world.callerSpeaks(600)
  await world.runUntil(() => world.entries('agent-message').length === 2)

  const [cut, whole] = world.entries('agent-message')
  expect(cut).toMatchObject({ interrupted: true, generatedContent: LONG })
  const heard = cut?.content.split(' ') ?? []
  expect(LONG.startsWith(cut?.content ?? '?')).toBe(true)
  // The last word was cut, and silence came 50 ms after the voice.
  expect(world.heardWords().slice(0, heard.length)).toEqual(heard)
  expect(world.heardWords().indexOf('Yes,') - heard.length).toBeLessThanOrEqual(1)
  expect(whole).toMatchObject({ content: 'Yes, on Saturday.', interrupted: false })
  const told = model.requests[1]
  if (told === undefined) throw new Error('The model was not asked again.')
  expect(toldConversation(told)).toEqual([
    'user: when do you open',
    `assistant: ${cut?.content}`,
    'user: and on saturday',
  ])
  world.caller.hangUp()
  await world.run(100)
  model.assertConsumed()
  ears.assertConsumed()
  world.assertNothingLeft()
})

test('silence follows within two frames once the far end is told', async () => {
  const model = scriptedModel([says(LONG)])
  const world = await startVoiceWorld({ machine: plainTurns(), models: { main: model } })
  world.caller.sendText('when do you open')
  await world.runUntil(() => world.heardWords().length === 3)
  const fromMs = world.time.clock.now()
  world.callerSpeaks(400)
  await world.run(1_000)
  const lastSoundMs = world.audibleFrames().at(-1)?.atMs ?? 0
  // 50 ms of voice make an interruption; a frame comes every 20 ms.
  expect(lastSoundMs - fromMs).toBeLessThanOrEqual(100)
})

test('a pause goes on at the word that was cut, and no word is missing', async () => {
  const model = scriptedModel([says('One two three four five six seven eight nine ten.')])
  const world = await startVoiceWorld({ machine: plainTurns(), models: { main: model } })
  world.caller.sendText('count')
  await world.runUntil(() => world.heardWords().length === 4)
  world.caller.sendText('pause')
  await world.run(2_000)
  const before = world.heardWords()
  world.caller.sendText('resume')
  await world.runUntil(() => world.entries('agent-message').length === 1)
  const after = world.heardWords().slice(before.length)
  expect(before.length).toBeLessThanOrEqual(5)
  const count = 'One two three four five six seven eight nine ten.'.split(' ')
  // The word that was cut is the one that the list of heard words ends in; said once more it begins anew.
  expect([...before, ...after]).toEqual(count)
  expect(world.entries('agent-message')[0]).toMatchObject({ content: count.join(' '), interrupted: false })
})

test('a tool that runs when the agent is interrupted runs on, and its result is remembered', async () => {
  const model = scriptedModel([callsTools(['look_up', { day: 'monday' }]), says('As I said, yes.')])
  const time = manualClock()
  const http = scriptedHttpTools({
    look_up: [
      () =>
        new Promise((resolve) => {
          time.clock.after(3_000, () => resolve(answersWith({ open: true })))
        }),
    ],
  })
  const world = await startVoiceWorld({
    machine: plainTurns(),
    time,
    models: { main: model },
    http,
    engine: {
      tools: [
        { type: 'custom', name: 'look_up', url: 'http://127.0.0.1/x', method: 'POST', parameters: { type: 'object' } },
      ],
    },
  })
  world.caller.sendText('are you open on monday')
  await world.run(500)
  world.session.say('One moment, please, while I look.', true)
  await world.runUntil(() => world.heardWords().length === 2)
  world.callerSpeaks(300)
  await world.run(4_000)
  expect(world.entries('tool-result')).toMatchObject([{ name: 'look_up', successful: true }])
  world.caller.sendText('hello?')
  await world.runUntil(() => world.entries('agent-message').length === 2)
  const told = model.requests[1]
  if (told === undefined) throw new Error('The model was not asked again.')
  expect(toldConversation(told)).toEqual([
    'user: are you open on monday',
    'assistant: [look_up]',
    'tool: {"open":true}',
    expect.stringMatching(/^assistant: One/),
    'user: hello?',
  ])
  model.assertConsumed()
})
