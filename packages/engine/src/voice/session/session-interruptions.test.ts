import { expect, test } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { answersWith, scriptedHttpTools } from '../../testing/scripted-http-tools.ts'
import { callsTools, says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import { promptTranscript, startVoiceScenario } from '../../testing/voice-scenario.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const LONG = 'We are open from nine in the morning until six in the evening, from Monday to Friday.'

test('what an interrupted agent remembers is what the caller heard', async () => {
  const model = scriptedModel([says(LONG), says('Yes, on Saturday.')])
  const stt = scriptedTranscriber([{ text: 'when do you open' }, { text: 'and on saturday' }])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: model },
    transcribers: [stt.transcriber],
  })
  await scenario.run(400)
  scenario.callerSpeaks(800)
  await scenario.runUntil(() => scenario.heardWords().length === 6)
  scenario.callerSpeaks(600)
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)

  const [cut, whole] = scenario.entries('agent-message')
  expect(cut).toMatchObject({ interrupted: true, generatedContent: LONG })
  const heard = cut?.content.split(' ') ?? []
  expect(LONG.startsWith(cut?.content ?? '?')).toBe(true)
  // The last word was cut, and silence came 50 ms after the voice.
  expect(scenario.heardWords().slice(0, heard.length)).toEqual(heard)
  expect(scenario.heardWords().indexOf('Yes,') - heard.length).toBeLessThanOrEqual(1)
  expect(whole).toMatchObject({ content: 'Yes, on Saturday.', interrupted: false })
  const request = model.requests[1]
  if (request === undefined) throw new Error('The model was not asked again.')
  expect(promptTranscript(request)).toEqual([
    'user: when do you open',
    `assistant: ${cut?.content}`,
    'user: and on saturday',
  ])
  scenario.caller.hangUp()
  await scenario.run(100)
  model.assertConsumed()
  stt.assertConsumed()
  scenario.assertNoLeaks()
})

test('silence follows within two frames once the far end is told', async () => {
  const model = scriptedModel([says(LONG)])
  const scenario = await startVoiceScenario({ machine: plainTurns(), models: { main: model } })
  scenario.caller.sendText('when do you open')
  await scenario.runUntil(() => scenario.heardWords().length === 3)
  const fromMs = scenario.time.clock.now()
  scenario.callerSpeaks(400)
  await scenario.run(1_000)
  const lastAudioMs = scenario.audibleFrames().at(-1)?.atMs ?? 0
  // 50 ms of voice make an interruption; a frame comes every 20 ms.
  expect(lastAudioMs - fromMs).toBeLessThanOrEqual(100)
})

test('a pause goes on at the word that was cut, and no word is missing', async () => {
  const model = scriptedModel([says('One two three four five six seven eight nine ten.')])
  const scenario = await startVoiceScenario({ machine: plainTurns(), models: { main: model } })
  scenario.caller.sendText('count')
  await scenario.runUntil(() => scenario.heardWords().length === 4)
  scenario.caller.sendText('pause')
  await scenario.run(2_000)
  const before = scenario.heardWords()
  scenario.caller.sendText('resume')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  const after = scenario.heardWords().slice(before.length)
  expect(before.length).toBeLessThanOrEqual(5)
  const count = 'One two three four five six seven eight nine ten.'.split(' ')
  // The word that was cut is the one that the list of heard words ends in; said once more it begins anew.
  expect([...before, ...after]).toEqual(count)
  expect(scenario.entries('agent-message')[0]).toMatchObject({ content: count.join(' '), interrupted: false })
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
  const scenario = await startVoiceScenario({
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
  scenario.caller.sendText('are you open on monday')
  await scenario.run(500)
  scenario.session.say('One moment, please, while I look.', true)
  await scenario.runUntil(() => scenario.heardWords().length === 2)
  scenario.callerSpeaks(300)
  await scenario.run(4_000)
  expect(scenario.entries('tool-result')).toMatchObject([{ name: 'look_up', successful: true }])
  scenario.caller.sendText('hello?')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  const request = model.requests[1]
  if (request === undefined) throw new Error('The model was not asked again.')
  expect(promptTranscript(request)).toEqual([
    'user: are you open on monday',
    'assistant: [look_up]',
    'tool: {"open":true}',
    expect.stringMatching(/^assistant: One/),
    'user: hello?',
  ])
  model.assertConsumed()
})
