import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const TEXT = 'One two three four five six seven eight.'

/** What a voice was asked to say and gave, of a call in which it had this to say. */
async function usageOf(
  voices: NonNullable<Parameters<typeof startVoiceScenario>[0]>['voices'],
  untilMs: number | null = null,
): Promise<unknown[]> {
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main: scriptedModel([says(TEXT)]) },
    ...(voices !== undefined && { voices }),
  })
  scenario.caller.sendText('count')
  if (untilMs === null) await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  else await scenario.run(untilMs)
  scenario.session.end('manual_stopped', false)
  await scenario.run(20)
  scenario.assertNoLeaks()
  const used = scenario.entries('usage').filter(({ product }) => product === 'synthesis')
  return used.map(({ model, quantity, unit }) => [model, quantity, unit])
}

test('speech is counted by its characters and by its seconds', async () => {
  expect(await usageOf([{ otherwise: { msPerWord: 250 } }])).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 2, 'second'],
  ])
})

test('each voice is charged with what came of it, one that gave nothing with no second', async () => {
  const rest = 'four five six seven eight.'
  expect(await usageOf([{ script: [{ failsAfterWords: 3 }] }, {}])).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 0.75, 'second'],
    ['scripted/voice-1', rest.length, 'character'],
    ['scripted/voice-1', 1.25, 'second'],
  ])
  expect(await usageOf([{ script: [{ failsAfterWords: 0 }] }, {}])).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 0, 'second'],
    ['scripted/voice-1', TEXT.length, 'character'],
    ['scripted/voice-1', 2, 'second'],
  ])
})

test('sound of which nobody hears the end is counted as far as it came', async () => {
  expect(await usageOf([{ script: [{ stallsAfterWords: 4 }] }], 500)).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 1, 'second'],
  ])
})
