import { expect, test } from 'vitest'
import { says, scriptedModel } from '../../testing/scripted-model.ts'
import { startVoiceScenario } from '../../testing/voice-scenario.ts'
import { plainTurns } from './plain-turns-test-kit.ts'

const TEXT = 'One two three four five six seven eight.'

/** Synthesis usage of a call with this answer. */
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

test('counts characters and seconds', async () => {
  expect(await usageOf([{ otherwise: { msPerWord: 250 } }])).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 2, 'second'],
  ])
})

test('charges each voice for its own audio, and zero seconds without any', async () => {
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

test('counts audio that was synthesized but not heard', async () => {
  expect(await usageOf([{ script: [{ stallsAfterWords: 4 }] }], 500)).toEqual([
    ['scripted/voice-0', TEXT.length, 'character'],
    ['scripted/voice-0', 1, 'second'],
  ])
})
