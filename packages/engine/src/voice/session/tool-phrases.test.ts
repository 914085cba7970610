import { expect, test } from 'vitest'
import { flowOf, promptEdge, promptNode } from '../../testing/flow-scenario.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { callsTools, type ScriptedStep, says, scriptedModel } from '../../testing/scripted-model.ts'
import { startVoiceScenario, type VoiceScenarioOptions } from '../../testing/voice-scenario.ts'
import { SLOW_TOOL, slowAnswer } from './slow-tool-test-kit.ts'

const LINE = 'Let me look that up for you.'

/** What the agent says while a tool takes twelve seconds, and when it begins to say it. */
async function spokenDuringTool(options: Pick<VoiceScenarioOptions, 'engine' | 'graph'>, ...steps: ScriptedStep[]) {
  const time = manualClock()
  const http = slowAnswer(time, 12_000)
  const main = scriptedModel(steps, { clock: time.clock })
  const scenario = await startVoiceScenario({ ...options, time, http, models: { main } })
  scenario.caller.sendText('when do you open')
  await scenario.run(14_000)
  return scenario
    .entries('agent-message')
    .filter(({ startMs }) => startMs < 12_000)
    .map(({ kind, content, startMs }) => [kind, content, Math.floor(startMs / 1_000)])
}

test('a tool that says a line of its own is bridged no sooner than ten seconds later', async () => {
  const line = { execution_message_type: 'static_text', execution_message_description: LINE } as const
  const tool = { ...SLOW_TOOL, speak_during_execution: true, ...line } as const
  expect(await spokenDuringTool({ engine: { tools: [tool] } }, callsTools(['look', {}]), says('At nine.'))).toEqual([
    ['reply', LINE, 0],
    ['tool-line', 'One moment, please.', 10],
  ])
})

test('a tool whose message says nothing is bridged after a second', async () => {
  const said = await spokenDuringTool({ engine: { tools: [SLOW_TOOL] } }, callsTools(['look', {}]), says('At nine.'))
  expect(said[0]).toEqual(['tool-line', 'One moment, please.', 0])
})

test('a line that a model words before the tool of a node counts like one of its own', async () => {
  const graph = flowOf(
    [
      {
        id: 'f',
        type: 'function',
        tool_id: 'look',
        speak_during_execution: true,
        instruction: { type: 'prompt', text: 'Say that you look it up.' },
      },
      promptNode('told', 'Tell it.', { edges: [promptEdge('on', 'more', 'f')] }),
    ],
    { tools: [SLOW_TOOL] },
  )
  expect(await spokenDuringTool({ graph }, says(LINE))).toEqual([
    ['reply', LINE, 0],
    ['tool-line', 'One moment, please.', 10],
  ])
})
