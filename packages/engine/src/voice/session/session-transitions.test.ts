import { expect, test } from 'vitest'
import type { AgentLoader, LoadedAgent } from '../../dialogue/conversation.ts'
import { scenarioConversation } from '../../testing/dialogue-scenario.ts'
import { chooses, flowOf, promptEdge, promptNode, staticNode } from '../../testing/flow-scenario.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { callsTools, failsWith, type ScriptedStep, says, scriptedModel } from '../../testing/scripted-model.ts'
import { scriptedSynthesizer } from '../../testing/scripted-synthesizer.ts'
import { scriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import {
  promptTranscript,
  scenarioAgent,
  startVoiceScenario,
  type VoiceScenario,
  type VoiceScenarioOptions,
} from '../../testing/voice-scenario.ts'
import { type PlainTurns, plainTurns } from './plain-turns-test-kit.ts'
import { SLOW_TOOL, slowAnswer } from './slow-tool-test-kit.ts'

async function hangUp(scenario: VoiceScenario): Promise<void> {
  scenario.caller.hangUp()
  await scenario.run(20)
  scenario.assertNoLeaks()
}

function withText(text: string, step: ScriptedStep): ScriptedStep {
  return { events: [{ type: 'text-delta', text }, ...step.events] }
}

test('after a hand-over the other agent answers, with its own model and its own voice', async () => {
  const { engine } = scenarioConversation()
  if (engine.kind !== 'llm') throw new Error('The scenario has another engine.')
  const billing: LoadedAgent = {
    agentId: 'agent_billing',
    agentVersion: 3,
    agentName: 'Bill',
    engine: { ...engine, id: 'llm_billing', model: 'billing' },
    timezone: 'UTC',
    fallbackModels: [],
    fallbackMessage: null,
  }
  const agents: AgentLoader = { load: async () => ({ ok: true, agent: billing }) }
  const tool = { type: 'agent_swap', name: 'to_billing', agent_id: 'agent_billing' } as const
  const main = scriptedModel([withText('One moment.', callsTools(['to_billing', {}]))])
  const second = scriptedModel([says('Billing here.'), says('You owe nothing.')])
  const clock = { current: null as VoiceScenario | null }
  const made: ReturnType<typeof scriptedSynthesizer>[] = []
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    models: { main, billing: second },
    engine: { tools: [tool] },
    ports: { agents },
    voiceAgent: async ({ agentId, agentName }) => {
      if (clock.current === null) throw new Error('The call has not begun.')
      const voice = scriptedSynthesizer({ clock: clock.current.time.clock, name: 'scripted/bill' })
      made.push(voice)
      const spoken = scenarioAgent([voice.synthesizer])
      return { ...spoken, speaking: { ...spoken.speaking, language: 'de-DE' }, agentId, agentName }
    },
  })
  clock.current = scenario
  scenario.caller.sendText('my bill is wrong')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  scenario.caller.sendText('what do I owe')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 3)
  expect(scenario.entries('agent-swap')).toEqual([
    {
      type: 'agent-swap',
      agentId: 'agent_billing',
      agentVersion: 3,
      agentName: 'Bill',
      analysis: 'both_agents',
      webhooks: 'both_agents',
    },
  ])
  expect(scenario.voices[0]?.requests.map(({ text }) => text)).toEqual(['One moment.'])
  expect(made[0]?.requests.map(({ text }) => text)).toEqual(['Billing here.', 'You owe nothing.'])
  expect(scenario.updates.filter(({ type }) => type === 'agent-change')).toMatchObject([
    { agentName: 'Bill', language: 'de-DE' },
  ])
  expect(second.requests).toHaveLength(2)
  await hangUp(scenario)
  expect(scenario.outcome()?.state?.agent).toEqual({ agentId: 'agent_billing', agentVersion: 3 })
})

const FLOW = flowOf([
  staticNode('hello', 'Welcome. What can I do for you today, my dear friend?', {
    edges: [promptEdge('to_order', 'wants to order', 'order')],
  }),
  promptNode('order', 'Take the order.', { edges: [promptEdge('to_bye', 'is done', 'bye')] }),
  staticNode('bye', 'Thank you, goodbye.'),
])

test('a transition stays made when its words are interrupted, and the next words are judged from there', async () => {
  const main = scriptedModel([
    chooses('e1'),
    says('Sure, which of our many fine pizzas would you like to have?'),
    chooses('e1'),
  ])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    graph: FLOW,
    opening: { type: 'generate' },
    models: { main },
  })
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  scenario.caller.sendText('I want to order')
  await scenario.runUntil(() => scenario.heardWords().length === 11 + 4)
  scenario.callerSpeaks(200)
  await scenario.run(700)
  expect(scenario.entries('agent-message')[1]).toMatchObject({ interrupted: true })
  scenario.caller.sendText('no, that is all')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 3)
  expect(scenario.entries('node-transition').map(({ toNodeId }) => toNodeId)).toEqual(['hello', 'order', 'bye'])
  expect(scenario.entries('agent-message')[2]?.content).toBe('Thank you, goodbye.')
  await hangUp(scenario)
  main.assertConsumed()
})

test('words that led to a node are judged once, however often the node tries to answer', async () => {
  const main = scriptedModel([chooses('e1'), failsWith({ retryable: false }), says('Which pizza?')])
  const scenario = await startVoiceScenario({ graph: FLOW, opening: { type: 'generate' }, models: { main } })
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  scenario.caller.sendText('I want to order')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  expect(scenario.entries('agent-message')[1]?.content).toBe('Which pizza?')
  expect(scenario.entries('node-transition').map(({ toNodeId }) => toNodeId)).toEqual(['hello', 'order'])
  await hangUp(scenario)
  main.assertConsumed()
})

test('words that nobody heard are not in the history, and the node that was entered speaks again', async () => {
  const main = scriptedModel([chooses('e1'), says('Which pizza?'), chooses('none'), says('I asked which pizza.')])
  const scenario = await startVoiceScenario({
    machine: plainTurns(),
    graph: FLOW,
    opening: { type: 'generate' },
    models: { main },
    voices: [{ script: [{}, {}, { delayMs: 2_000 }] }],
  })
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  scenario.caller.sendText('I want to order')
  await scenario.run(500)
  scenario.callerSpeaks(200)
  await scenario.run(500)
  scenario.caller.sendText('hello?')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  expect(scenario.entries('agent-message')[1]?.content).toBe('I asked which pizza.')
  const request = main.requests.at(-1)
  if (request === undefined) throw new Error('The model was not asked.')
  expect(promptTranscript(request)).toEqual([
    'assistant: Welcome. What can I do for you today, my dear friend?',
    'user: I want to order',
    'user: hello?',
  ])
  await hangUp(scenario)
})

test('what is injected is told to the model, at once when it is to react', async () => {
  const main = scriptedModel([says('The car is there.')])
  const scenario = await startVoiceScenario({ machine: plainTurns(), models: { main } })
  scenario.session.inject('The car has arrived.', true)
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  expect(scenario.entries('injected')).toEqual([{ type: 'injected', content: 'The car has arrived.' }])
  expect(main.requests[0]?.messages.some(({ content }) => content === 'The car has arrived.')).toBe(true)
  expect(scenario.session.transcript()).toEqual([
    { role: 'injected', content: 'The car has arrived.' },
    { role: 'agent', content: 'The car is there.' },
  ])
  await hangUp(scenario)
})

/** A function node whose tool takes three seconds stands in the way of `g`. */
const SLOW_FLOW = flowOf(
  [
    promptNode('ask', 'Ask what they want.', { edges: [promptEdge('go', 'wants it', 'f')] }),
    {
      id: 'f',
      type: 'function',
      tool_id: 'look',
      else_edge: { id: 'else', destination_node_id: 'g', transition_condition: { type: 'prompt', prompt: 'Else' } },
    },
    promptNode('g', 'Ask for the name.', { edges: [promptEdge('named', 'name given', 'bye')] }),
    staticNode('bye', 'Goodbye.'),
  ],
  { tools: [SLOW_TOOL] },
)

async function whileTheToolRuns(
  options: Pick<VoiceScenarioOptions<PlainTurns>, 'machine' | 'transcribers' | 'turns'>,
  ...steps: ScriptedStep[]
) {
  const time = manualClock()
  const main = scriptedModel([says('What do you want?'), chooses('e1'), ...steps])
  const http = slowAnswer(time, 3_000)
  const opening = { type: 'generate' } as const
  const scenario = await startVoiceScenario({ ...options, time, graph: SLOW_FLOW, models: { main }, http, opening })
  await scenario.runUntil(() => scenario.entries('agent-message').length === 1)
  scenario.caller.sendText('I want it')
  await scenario.run(500)
  const way = () => scenario.entries('node-transition').map(({ toNodeId }) => toNodeId)
  expect(way()).toEqual(['ask', 'f'])
  return { scenario, main, way }
}

test('a tool that ends after the conversation went on without it does not drag it back', async () => {
  const { scenario, main, way } = await whileTheToolRuns({}, says('Your name?'), chooses('e1'))
  scenario.caller.sendText('hello?')
  await scenario.run(500)
  scenario.caller.sendText('Ada')
  await scenario.run(4_000)
  expect(scenario.entries('tool-result')).toMatchObject([{ name: 'look', successful: true }])
  expect(way()).toEqual(['ask', 'f', 'g', 'bye'])
  expect(scenario.entries('agent-message').at(-1)?.content).toBe('Goodbye.')
  await hangUp(scenario)
  expect(scenario.outcome()?.state?.flow?.nodeId).toBe('bye')
  main.assertConsumed()
})

test('a tool that ends after an interruption that nothing followed yet leads on', async () => {
  const { scenario, main, way } = await whileTheToolRuns({ machine: plainTurns() }, chooses('e1'))
  scenario.session.say('One moment, please, while I look.', true)
  await scenario.runUntil(() => scenario.heardWords().length === 6)
  scenario.callerSpeaks(300)
  await scenario.run(4_000)
  expect(way()).toEqual(['ask', 'f', 'g'])
  scenario.caller.sendText('hello?')
  await scenario.runUntil(() => scenario.entries('agent-message').length === 3)
  expect(way()).toEqual(['ask', 'f', 'g', 'bye'])
  await hangUp(scenario)
  main.assertConsumed()
})

test('an answer that was begun on speculation is dropped when the conversation moves on meanwhile', async () => {
  const stt = scriptedTranscriber([{ text: 'Hello, are you there?' }])
  const options = { transcribers: [stt.transcriber], turns: { responseThresholdMs: 4_000 } }
  const { scenario, main, way } = await whileTheToolRuns(options, chooses('stay'), says('Your name?'))
  scenario.callerSpeaks(800)
  await scenario.runUntil(() => scenario.entries('agent-message').length === 2)
  expect(scenario.entries('warning').map(({ code }) => code)).toEqual([
    'interrupted',
    'speculation-wasted',
    'speculation-used',
  ])
  expect(way()).toEqual(['ask', 'f', 'g'])
  await hangUp(scenario)
  main.assertConsumed()
})
