import { expect, test } from 'vitest'
import type { AgentLoader, LoadedAgent } from '../../dialogue/conversation.ts'
import { buildScenarioConversation } from '../../testing/dialogue-scenario.ts'
import {
  chooseTransition,
  createFlow,
  createPromptEdge,
  createPromptNode,
  createStaticNode,
} from '../../testing/flow-scenario.ts'
import { createManualClock, type ManualClock } from '../../testing/manual-clock.ts'
import { callTools, createScriptedModel, failWith, replyWith, type ScriptedStep } from '../../testing/scripted-model.ts'
import { createHttpOutcome, createScriptedHttpTools, type ScriptedHttpTools } from '../../testing/scripted-ports.ts'
import { createScriptedSynthesizer } from '../../testing/scripted-synthesizer.ts'
import { createScriptedTranscriber } from '../../testing/scripted-transcriber.ts'
import {
  createScenarioAgent,
  formatPrompt,
  startVoiceScenario,
  type VoiceScenario,
  type VoiceScenarioOptions,
} from '../../testing/voice-scenario.ts'
import { createPlainTurns, type PlainTurns } from './plain-turns-test-kit.ts'

/** A tool that is called once; see `slowAnswer`. */
const SLOW_TOOL = {
  type: 'custom',
  tool_id: 'look',
  name: 'look',
  url: 'http://127.0.0.1/x',
  method: 'POST',
  parameters: { type: 'object', properties: {} },
} as const

/** Answers the call of `SLOW_TOOL` after a delay. */
function createSlowTools({ clock }: Pick<ManualClock, 'clock'>, durationMs: number): ScriptedHttpTools {
  const answer = () =>
    new Promise<ReturnType<typeof createHttpOutcome>>((resolve) => {
      clock.after(durationMs, () => resolve(createHttpOutcome({ at: 9 })))
    })
  return createScriptedHttpTools({ look: [answer] })
}

function withText(text: string, step: ScriptedStep): ScriptedStep {
  return { events: [{ type: 'text-delta', text }, ...step.events] }
}

test("answers with the other agent's model and voice after a handover", async () => {
  const { engine } = buildScenarioConversation()
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
  const main = createScriptedModel([withText('One moment.', callTools(['to_billing', {}]))])
  const second = createScriptedModel([replyWith('Billing here.'), replyWith('You owe nothing.')])
  const currentScenario = { current: null as VoiceScenario | null }
  const synthesizers: ReturnType<typeof createScriptedSynthesizer>[] = []
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    models: { main, billing: second },
    engine: { tools: [tool] },
    ports: { agents },
    loadVoiceAgent: async ({ agentId, agentName }) => {
      if (currentScenario.current === null) throw new Error('The call has not started.')
      const voice = createScriptedSynthesizer({ clock: currentScenario.current.time.clock, name: 'scripted/bill' })
      synthesizers.push(voice)
      const voiceAgent = createScenarioAgent([voice.synthesizer])
      return { ...voiceAgent, speaking: { ...voiceAgent.speaking, language: 'de-DE' }, agentId, agentName }
    },
  })
  currentScenario.current = scenario
  scenario.caller.sendText('my bill is wrong')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  scenario.caller.sendText('what do I owe')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 3)
  expect(scenario.listEntries('agent-swap')).toEqual([
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
  expect(synthesizers[0]?.requests.map(({ text }) => text)).toEqual(['Billing here.', 'You owe nothing.'])
  expect(scenario.updates.filter(({ type }) => type === 'agent-change')).toMatchObject([
    { agentName: 'Bill', language: 'de-DE' },
  ])
  expect(second.requests).toHaveLength(2)
  await scenario.hangUp()
  expect(scenario.getOutcome()?.state?.agent).toEqual({ agentId: 'agent_billing', agentVersion: 3 })
})

const FLOW = createFlow([
  createStaticNode('hello', 'Welcome. What can I do for you today, my dear friend?', {
    edges: [createPromptEdge('to_order', 'wants to order', 'order')],
  }),
  createPromptNode('order', 'Take the order.', { edges: [createPromptEdge('to_bye', 'is done', 'bye')] }),
  createStaticNode('bye', 'Thank you, goodbye.'),
])

test('keeps a transition whose text was interrupted', async () => {
  const main = createScriptedModel([
    chooseTransition('e1'),
    replyWith('Sure, which of our many fine pizzas would you like to have?'),
    chooseTransition('e1'),
  ])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    graph: FLOW,
    opening: { type: 'generate' },
    models: { main },
  })
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  scenario.caller.sendText('I want to order')
  await scenario.runUntil(() => scenario.listHeardWords().length === 11 + 4)
  scenario.speakAsCaller(200)
  await scenario.run(700)
  expect(scenario.listEntries('agent-message')[1]).toMatchObject({ interrupted: true })
  scenario.caller.sendText('no, that is all')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 3)
  expect(scenario.listEntries('node-transition').map(({ toNodeId }) => toNodeId)).toEqual(['hello', 'order', 'bye'])
  expect(scenario.listEntries('agent-message')[2]?.content).toBe('Thank you, goodbye.')
  await scenario.hangUp()
  main.assertConsumed()
})

test('evaluates a transition once, however often the node retries', async () => {
  const main = createScriptedModel([chooseTransition('e1'), failWith({ retryable: false }), replyWith('Which pizza?')])
  const scenario = await startVoiceScenario({ graph: FLOW, opening: { type: 'generate' }, models: { main } })
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  scenario.caller.sendText('I want to order')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  expect(scenario.listEntries('agent-message')[1]?.content).toBe('Which pizza?')
  expect(scenario.listEntries('node-transition').map(({ toNodeId }) => toNodeId)).toEqual(['hello', 'order'])
  await scenario.hangUp()
  main.assertConsumed()
})

test('omits unheard text from the history and lets the entered node speak again', async () => {
  const main = createScriptedModel([
    chooseTransition('e1'),
    replyWith('Which pizza?'),
    chooseTransition('none'),
    replyWith('I asked which pizza.'),
  ])
  const scenario = await startVoiceScenario({
    machine: createPlainTurns(),
    graph: FLOW,
    opening: { type: 'generate' },
    models: { main },
    voices: [{ script: [{}, {}, { delayMs: 2_000 }] }],
  })
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  scenario.caller.sendText('I want to order')
  await scenario.run(500)
  scenario.speakAsCaller(200)
  await scenario.run(500)
  scenario.caller.sendText('hello?')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  expect(scenario.listEntries('agent-message')[1]?.content).toBe('I asked which pizza.')
  expect(formatPrompt(main.requests.at(-1))).toEqual([
    'assistant: Welcome. What can I do for you today, my dear friend?',
    'user: I want to order',
    'user: hello?',
  ])
  await scenario.hangUp()
})

test('passes injected text to the model, immediately with `respond`', async () => {
  const main = createScriptedModel([replyWith('The car is there.')])
  const scenario = await startVoiceScenario({ machine: createPlainTurns(), models: { main } })
  scenario.session.inject('The car has arrived.', true)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  expect(scenario.listEntries('injected')).toEqual([{ type: 'injected', content: 'The car has arrived.' }])
  expect(main.requests[0]?.messages.some(({ content }) => content === 'The car has arrived.')).toBe(true)
  expect(scenario.session.getTranscript()).toEqual([
    { role: 'injected', content: 'The car has arrived.' },
    { role: 'agent', content: 'The car is there.' },
  ])
  await scenario.hangUp()
})

/** A flow with a function node whose tool takes three seconds. */
const SLOW_FLOW = createFlow(
  [
    createPromptNode('ask', 'Ask what they want.', { edges: [createPromptEdge('go', 'wants it', 'f')] }),
    {
      id: 'f',
      type: 'function',
      tool_id: 'look',
      else_edge: { id: 'else', destination_node_id: 'g', transition_condition: { type: 'prompt', prompt: 'Else' } },
    },
    createPromptNode('g', 'Ask for the name.', { edges: [createPromptEdge('named', 'name given', 'bye')] }),
    createStaticNode('bye', 'Goodbye.'),
  ],
  { tools: [SLOW_TOOL] },
)

async function startDuringTool(
  options: Pick<VoiceScenarioOptions<PlainTurns>, 'machine' | 'transcribers' | 'turns'>,
  ...steps: ScriptedStep[]
) {
  const time = createManualClock()
  const main = createScriptedModel([replyWith('What do you want?'), chooseTransition('e1'), ...steps])
  const http = createSlowTools(time, 3_000)
  const opening = { type: 'generate' } as const
  const scenario = await startVoiceScenario({ ...options, time, graph: SLOW_FLOW, models: { main }, http, opening })
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 1)
  scenario.caller.sendText('I want it')
  await scenario.run(500)
  const listNodeIds = () => scenario.listEntries('node-transition').map(({ toNodeId }) => toNodeId)
  expect(listNodeIds()).toEqual(['ask', 'f'])
  return { scenario, main, way: listNodeIds }
}

test('ignores transitions of a tool that ends after the conversation has moved on', async () => {
  const {
    scenario,
    main,
    way: listNodeIds,
  } = await startDuringTool({}, replyWith('Your name?'), chooseTransition('e1'))
  scenario.caller.sendText('hello?')
  await scenario.run(500)
  scenario.caller.sendText('Ada')
  await scenario.run(4_000)
  expect(scenario.listEntries('tool-result')).toMatchObject([{ name: 'look', successful: true }])
  expect(listNodeIds()).toEqual(['ask', 'f', 'g', 'bye'])
  expect(scenario.listEntries('agent-message').at(-1)?.content).toBe('Goodbye.')
  await scenario.hangUp()
  expect(scenario.getOutcome()?.state?.flow?.nodeId).toBe('bye')
  main.assertConsumed()
})

test('follows transitions of a tool that ends after an interruption without an answer', async () => {
  const {
    scenario,
    main,
    way: listNodeIds,
  } = await startDuringTool({ machine: createPlainTurns() }, chooseTransition('e1'))
  scenario.session.say('One moment, please, while I look.', true)
  await scenario.runUntil(() => scenario.listHeardWords().length === 6)
  scenario.speakAsCaller(300)
  await scenario.run(4_000)
  expect(listNodeIds()).toEqual(['ask', 'f', 'g'])
  scenario.caller.sendText('hello?')
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 3)
  expect(listNodeIds()).toEqual(['ask', 'f', 'g', 'bye'])
  await scenario.hangUp()
  main.assertConsumed()
})

test('drops a speculation when the conversation transitions', async () => {
  const stt = createScriptedTranscriber([{ text: 'Hello, are you there?' }])
  const options = { transcribers: [stt.transcriber], turns: { responseThresholdMs: 4_000 } }
  const {
    scenario,
    main,
    way: listNodeIds,
  } = await startDuringTool(options, chooseTransition('stay'), replyWith('Your name?'))
  scenario.speakAsCaller(800)
  await scenario.runUntil(() => scenario.listEntries('agent-message').length === 2)
  expect(scenario.listEntries('warning').map(({ code }) => code)).toEqual([
    'interrupted',
    'speculation-wasted',
    'speculation-used',
  ])
  expect(listNodeIds()).toEqual(['ask', 'f', 'g'])
  await scenario.hangUp()
  main.assertConsumed()
})

const TOOL_MESSAGE = 'Let me look that up for you.'

/** Returns the agent's utterances while a tool runs for twelve seconds, with their times. */
async function listSpeechDuringTool(options: Pick<VoiceScenarioOptions, 'engine' | 'graph'>, ...steps: ScriptedStep[]) {
  const time = createManualClock()
  const http = createSlowTools(time, 12_000)
  const main = createScriptedModel(steps, { clock: time.clock })
  const scenario = await startVoiceScenario({ ...options, time, http, models: { main } })
  scenario.caller.sendText('when do you open')
  await scenario.run(14_000)
  return scenario
    .listEntries('agent-message')
    .filter(({ startMs }) => startMs < 12_000)
    .map(({ kind, content, startMs }) => [kind, content, Math.floor(startMs / 1_000)])
}

test("fills the silence ten seconds after a tool's own message", async () => {
  const message = { execution_message_type: 'static_text', execution_message_description: TOOL_MESSAGE } as const
  const tool = { ...SLOW_TOOL, speak_during_execution: true, ...message } as const
  expect(
    await listSpeechDuringTool({ engine: { tools: [tool] } }, callTools(['look', {}]), replyWith('At nine.')),
  ).toEqual([
    ['reply', TOOL_MESSAGE, 0],
    ['tool-line', 'One moment, please.', 10],
  ])
})

test('fills the silence after a second if the tool has no message', async () => {
  const utterances = await listSpeechDuringTool(
    { engine: { tools: [SLOW_TOOL] } },
    callTools(['look', {}]),
    replyWith('At nine.'),
  )
  expect(utterances[0]).toEqual(['tool-line', 'One moment, please.', 0])
})

test("treats a generated message before a node's tool like a static one", async () => {
  const graph = createFlow(
    [
      {
        id: 'f',
        type: 'function',
        tool_id: 'look',
        speak_during_execution: true,
        instruction: { type: 'prompt', text: 'Say that you look it up.' },
      },
      createPromptNode('reply', 'Say it.', { edges: [createPromptEdge('on', 'more', 'f')] }),
    ],
    { tools: [SLOW_TOOL] },
  )
  expect(await listSpeechDuringTool({ graph }, replyWith(TOOL_MESSAGE))).toEqual([
    ['reply', TOOL_MESSAGE, 0],
    ['tool-line', 'One moment, please.', 10],
  ])
})
