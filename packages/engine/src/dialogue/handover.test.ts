import { describe, expect, test } from 'vitest'
import { joinStreamedText, runScenario, type ScenarioOptions, selectEvents } from '../testing/dialogue-scenario.ts'
import { callTools, createScriptedModel, playTurn, replyWith, type ScriptedStep } from '../testing/index.ts'
import type { AgentLoader, FlowEngine, HistoryMessage, LlmEngine, LoadedAgent } from './conversation.ts'
import { NO_KNOWLEDGE } from './knowledge/knowledge-use.ts'

const TO_BILLING = { type: 'agent_swap', name: 'to_billing', agent_id: 'agent_billing', agent_version: 3 } as const
const BACK = { type: 'agent_swap', name: 'back', agent_id: 'agent_front' } as const

/** A step that speaks before its calls. */
function withText(text: string, step: ScriptedStep): ScriptedStep {
  return { events: [{ type: 'text-delta', text }, ...step.events] }
}

function createAgent(id: string, engine: Partial<LlmEngine>): LoadedAgent {
  const blank: LlmEngine = {
    kind: 'llm',
    id: `llm_${id}`,
    version: 2,
    model: id,
    generalPrompt: `You are ${id} and know {{topic}}.`,
    beginMessage: null,
    tools: [],
    mcps: [],
    states: [],
    startingState: null,
    temperature: null,
    knowledge: NO_KNOWLEDGE,
    defaultVariables: { topic: 'bills' },
  }
  return {
    agentId: `agent_${id}`,
    agentVersion: 3,
    agentName: id,
    engine: { ...blank, ...engine },
    timezone: 'UTC',
    fallbackModels: [],
    fallbackMessage: null,
  }
}

function createLoader(...agents: readonly LoadedAgent[]): AgentLoader {
  return {
    async load(agentId) {
      const found = agents.find((candidate) => candidate.agentId === agentId)
      return found === undefined ? { ok: false, message: 'there is no such agent.' } : { ok: true, agent: found }
    },
  }
}

function withSwapTool(change: ScenarioOptions = {}): ScenarioOptions {
  return { ...change, engine: { tools: [TO_BILLING], ...change.engine } }
}

describe('a handover', () => {
  test('lets the other agent answer in the same turn with its own prompt and the whole conversation', async () => {
    const main = createScriptedModel([withText('One moment.', callTools(['to_billing', {}]))])
    const billing = createScriptedModel([replyWith('Billing here.')])
    const events = await runScenario(
      withSwapTool({ models: { main, billing }, ports: { agents: createLoader(createAgent('billing', {})) } }),
    )
    expect(billing.requests[0]?.messages[0]?.content).toBe('You are billing and know bills.')
    expect(billing.requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(joinStreamedText(events)).toBe('One moment.Billing here.')
    expect(selectEvents(events, 'action')).toMatchObject([
      {
        action: {
          type: 'agent-swap',
          agent: { agentId: 'agent_billing', agentVersion: 3 },
          settings: { analysis: 'both_agents', webhooks: 'both_agents' },
        },
        state: { engine: { id: 'llm_billing', version: 2 }, agent: { agentId: 'agent_billing', agentVersion: 3 } },
      },
    ])
    expect(events.at(-1)).toMatchObject({ state: { agent: { agentId: 'agent_billing' } } })
  })

  test('to an unavailable agent is a failed tool call', async () => {
    const main = createScriptedModel([callTools(['to_billing', {}]), replyWith('They are not there.')])
    const events = await runScenario(withSwapTool({ models: { main } }))
    expect(selectEvents(events, 'tool-result')).toMatchObject([
      { ok: false, content: 'The conversation could not be handed over: there is no such agent.' },
    ])
    expect(selectEvents(events, 'action')).toEqual([])
    expect(joinStreamedText(events)).toBe('They are not there.')
  })

  test('is refused the fourth time in a turn', async () => {
    const repeatSwap = (name: string, times: number) => Array.from({ length: times }, () => callTools([name, {}]))
    const main = createScriptedModel(repeatSwap('to_billing', 1))
    const front = createScriptedModel(repeatSwap('to_billing', 1))
    const billing = createScriptedModel([...repeatSwap('back', 2), replyWith('Well, I answer.')])
    const agents = createLoader(
      createAgent('billing', { tools: [BACK] }),
      createAgent('front', { tools: [TO_BILLING] }),
    )
    const events = await runScenario(withSwapTool({ models: { main, billing, front }, ports: { agents } }))
    expect(selectEvents(events, 'action')).toHaveLength(3)
    expect(selectEvents(events, 'tool-result').at(-1)).toMatchObject({
      ok: false,
      content: expect.stringContaining('handed over too often'),
    })
    expect(joinStreamedText(events)).toBe('Well, I answer.')
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', outcome: 'completed' })
    for (const model of [main, front, billing]) model.assertConsumed()
  })

  test('terminates if a flow starts with a handover to itself', async () => {
    const flow: FlowEngine = {
      kind: 'conversation-flow',
      id: 'conversation_flow_1',
      version: 1,
      model: 'main',
      temperature: null,
      knowledge: NO_KNOWLEDGE,
      globalPrompt: 'You are Ada.',
      startSpeaker: 'user',
      maxHopsPerTurn: 8,
      startNodeId: 'swap',
      nodes: [{ id: 'swap', type: 'agent_swap', agent_id: 'agent_self' }],
      tools: [],
      mcps: [],
      components: {},
      defaultVariables: {},
    }
    const self = { ...createAgent('self', {}), engine: flow }
    const { events, text } = await playTurn([replyWith('Hello, how can I help?')], {
      graph: flow,
      ports: { agents: createLoader(self) },
    })
    expect(selectEvents(events, 'action')).toHaveLength(3)
    expect(text).toBe('Hello, how can I help?')
  })

  test('is made after a crash that followed its result', async () => {
    const history: HistoryMessage[] = [
      { role: 'user', content: 'My bill is wrong.' },
      { role: 'assistant', content: '', toolCalls: [{ id: 'c1', name: 'to_billing', argumentsText: '{}' }] },
      { role: 'tool', toolCallId: 'c1', name: 'to_billing', content: 'The conversation was handed over.' },
    ]
    const billing = createScriptedModel([replyWith('Billing here.')])
    const events = await runScenario(
      withSwapTool({
        models: { billing },
        ports: { agents: createLoader(createAgent('billing', {})) },
        conversation: { history },
        input: { type: 'continue' },
      }),
    )
    expect(joinStreamedText(events)).toBe('Billing here.')
    expect(events.at(-1)).toMatchObject({ outcome: 'completed', state: { agent: { agentId: 'agent_billing' } } })
  })
})
