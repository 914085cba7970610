import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'
import { describe, expect, test } from 'vitest'
import {
  type ConversationMemory,
  chooseTransition,
  createEquationEdge,
  createFixedEdge,
  createFlow,
  createPromptEdge,
  createPromptNode,
  createStaticNode,
  EMPTY_MEMORY,
  listDecisions,
  listTexts,
  listTransitions,
  storeTurn,
} from '../testing/flow-scenario.ts'
import {
  buildScenarioConversation,
  callTools,
  createHttpOutcome,
  createScriptedHttpTools,
  createScriptedModel,
  findTurnGrammarProblem,
  flushPromises,
  replyWith,
  type ScenarioOptions,
  type ScriptedStep,
  selectEvents,
  startScenario,
} from '../testing/index.ts'
import type { DialogueEvent, FlowEngine, LoadedAgent } from './conversation.ts'
import { OUTCOME_UNKNOWN } from './models/model-messages.ts'

interface TurnOptions extends Pick<ScenarioOptions, 'graph' | 'engine' | 'http' | 'ports'> {
  readonly memory?: ConversationMemory
  readonly text?: string
  readonly steps?: readonly ScriptedStep[]
  /** Cancels the turn at the nth event of a type, or else at the model's last request. */
  readonly cancelAt?: readonly [DialogueEvent['type'], number?]
}

const HANG = { events: [{ type: 'hang' }] } as const
const streamThenHang = (text: string): ScriptedStep => ({ events: [{ type: 'text-delta', text }, { type: 'hang' }] })

/** Runs a turn that is canceled by `cancelAt` or when its model hangs. */
async function runTurn({ memory = EMPTY_MEMORY, text = 'hi', steps = [], cancelAt, ...options }: TurnOptions) {
  const main = createScriptedModel(steps)
  const [type, nth = 1] = cancelAt ?? []
  let seen = 0
  const input = { type: 'user-message', content: text } as const
  const scenario = startScenario({ ...options, models: { main }, conversation: memory, input }, (event) => {
    if (event.type === type) seen += 1
    if (event.type === type && seen === nth) scenario.controller.abort()
  })
  await flushPromises()
  const isCut = !scenario.isDone() || scenario.controller.signal.aborted
  scenario.controller.abort()
  await scenario.finished
  main.assertConsumed()
  expect(findTurnGrammarProblem(scenario.events, isCut)).toBeNull()
  // Text that was streamed before the end counts as said.
  const transcript = scenario.events.map((event) =>
    event.type === 'message-end' ? { ...event, incomplete: false } : event,
  )
  const { events } = scenario
  const route = listTransitions(events)
  return {
    events,
    route,
    words: listTexts(events),
    requests: main.requests,
    memory: storeTurn(memory, text, transcript),
  }
}

/** The conversation in a request, without prompts. */
function listTranscript(
  request: { readonly messages: readonly { role: string; content: string }[] } | undefined,
): string[] {
  const spokenMessages = request?.messages.filter(({ role }) => role === 'user' || role === 'assistant') ?? []
  return spokenMessages.map(({ role, content }) => `${role}: ${content}`)
}

const start = createStaticNode('start', 'Welcome.', { edges: [createPromptEdge('p', 'wants to order', 'order')] })
const pizza = createPromptEdge('pizza', 'names a pizza', 'thanks')
const thanks = createStaticNode('thanks', 'Thank you.')
const bye = createStaticNode('bye', 'As you wish.', { global_node_setting: { condition: 'wants to stop' } })
const order = createPromptNode('order', 'Ask which pizza.', { edges: [pizza] })

/** Enters `order` and cancels the turn before or during its text. */
async function cancelAtOrder(graph: FlowEngine, step: ScriptedStep = HANG): Promise<ConversationMemory> {
  const { memory } = await runTurn({ graph })
  const cancelledTurn = await runTurn({ graph, memory, text: 'I want to order', steps: [chooseTransition('e1'), step] })
  expect(cancelledTurn.route).toEqual(['start>order'])
  expect(cancelledTurn.memory.state?.flow).toMatchObject({ nodeId: 'order', phase: 'entering' })
  return cancelledTurn.memory
}

describe('a message after a node was interrupted while speaking', () => {
  test('is routed normally, by a model that sees the interrupted text', async () => {
    const graph = createFlow([start, order, thanks])
    const memory = await cancelAtOrder(graph, streamThenHang('Which of our'))
    const { route, words, requests } = await runTurn({
      graph,
      memory,
      text: 'A margherita',
      steps: [chooseTransition('e1')],
    })
    expect([route, words]).toEqual([['order>thanks'], ['Thank you.']])
    const history = ['assistant: Welcome.', 'user: I want to order', 'assistant: Which of our', 'user: A margherita']
    expect(listTranscript(requests[0])).toEqual(['user: hi', ...history])
  })

  test('takes every type of edge', async () => {
    const fields = [
      { edges: [createEquationEdge('known', '{{x}} not_exist', 'thanks')] },
      { always_edge: createFixedEdge('always', 'thanks') },
      { skip_response_edge: createFixedEdge('skip', 'thanks') },
      { else_edge: createFixedEdge('else', 'thanks') },
    ]
    for (const edges of fields) {
      const graph = createFlow([start, createPromptNode('order', 'Ask.', edges), thanks])
      const memory = await cancelAtOrder(graph, streamThenHang('Which'))
      const { route, words } = await runTurn({ graph, memory, text: 'Well' })
      expect([route, words]).toEqual([['order>thanks'], ['Thank you.']])
    }
  })

  test('is answered at the node when no edge matches', async () => {
    const graph = createFlow([start, order, thanks])
    const memory = await cancelAtOrder(graph, streamThenHang('Which of our'))
    const next = await runTurn({
      graph,
      memory,
      text: 'Pardon?',
      steps: [chooseTransition('stay'), replyWith('Which pizza?')],
    })
    expect([next.route, next.words]).toEqual([[], ['Which pizza?']])
    expect(next.memory.state?.flow).toMatchObject({ nodeId: 'order', phase: 'listening', visits: { order: 1 } })
    expect(listTranscript(next.requests[1]).slice(-2)).toEqual(['assistant: Which of our', 'user: Pardon?'])
  })
})

describe('a message after a node was interrupted before its first word', () => {
  test("is routed by the user's words", async () => {
    const graph = createFlow([start, order, thanks, bye])
    const memory = await cancelAtOrder(graph)
    const on = await runTurn({ graph, memory, text: 'A margherita', steps: [chooseTransition('e1')] })
    expect([on.route, listDecisions(on.events)]).toEqual([['order>thanks'], ['prompt pizza']])
    expect(listTranscript(on.requests[0]).slice(-2)).toEqual(['user: I want to order', 'user: A margherita'])
    const away = await runTurn({ graph, memory, text: 'Forget it', steps: [chooseTransition('g1')] })
    expect(away.route).toEqual(['order>bye global'])
  })

  test('lets the entered node speak when no edge matches', async () => {
    const graph = createFlow([start, createStaticNode('order', 'Which pizza?', { edges: [pizza] }), thanks])
    const { memory: listening } = await runTurn({ graph })
    const cancelAt = ['node-transition'] as const
    const cancelledTurn = await runTurn({
      graph,
      memory: listening,
      text: 'I want to order',
      steps: [chooseTransition('e1')],
      cancelAt,
    })
    const next = await runTurn({
      graph,
      memory: cancelledTurn.memory,
      text: 'Hello?',
      steps: [chooseTransition('stay')],
    })
    expect([next.route, next.words]).toEqual([[], ['Which pizza?']])
    expect(listDecisions(next.events)).toEqual(['stay'])
  })

  test("does not skip the node's text by an unconditional edge", async () => {
    const fields = [
      { edges: [createEquationEdge('known', '{{x}} not_exist', 'thanks')] },
      { always_edge: createFixedEdge('always', 'thanks') },
      { else_edge: createFixedEdge('else', 'thanks') },
    ]
    for (const edges of fields) {
      const graph = createFlow([start, createPromptNode('order', 'Ask.', edges), thanks])
      const memory = await cancelAtOrder(graph)
      const { route, words } = await runTurn({ graph, memory, text: 'Well', steps: [replyWith('Which pizza?')] })
      expect([route, words]).toEqual([[], ['Which pizza?']])
    }
  })

  test('ends with the closing message unless the words lead elsewhere', async () => {
    const end: FlowNode = { id: 'order', type: 'end', instruction: { type: 'prompt', text: 'Say goodbye.' } }
    const graph = createFlow([start, end, bye])
    for (const step of [HANG, streamThenHang('Good')]) {
      const memory = await cancelAtOrder(graph, step)
      const away = await runTurn({ graph, memory, text: 'Stop', steps: [chooseTransition('g1')] })
      expect([away.route, selectEvents(away.events, 'action')]).toEqual([['order>bye global'], []])
      const ended = await runTurn({
        graph,
        memory,
        text: 'Wait',
        steps: [chooseTransition('stay'), replyWith('Goodbye.')],
      })
      expect(ended.words).toEqual(['Goodbye.'])
      expect(selectEvents(ended.events, 'action')).toMatchObject([{ action: { type: 'end' } }])
    }
  })
})

describe('a message after a tool node was interrupted', () => {
  const book: FlowTool = { type: 'custom', name: 'book', url: 'https://example.com' }
  const node: FlowNode = {
    id: 'order',
    type: 'function',
    tool_id: 'book',
    edges: [createPromptEdge('on', 'booked', 'thanks')],
  }
  const other = createPromptEdge('off', 'not known', 'bye')
  const never = (): Promise<never> => new Promise(() => {})

  test('before its call, follows another edge without the call or calls the tool', async () => {
    const graph = createFlow([start, node, thanks, bye], { tools: [book] })
    const { memory: listening } = await runTurn({ graph })
    const cancelAt = ['node-transition'] as const
    const { memory } = await runTurn({
      graph,
      memory: listening,
      text: 'Order',
      steps: [chooseTransition('e1')],
      cancelAt,
    })
    const none = createScriptedHttpTools()
    const away = await runTurn({ graph, memory, text: 'No, stop!', http: none, steps: [chooseTransition('g1')] })
    none.assertConsumed()
    expect([away.route, away.words]).toEqual([['order>bye global'], ['As you wish.']])
    const http = createScriptedHttpTools({ book: [createHttpOutcome('done')] })
    const on = await runTurn({ graph, memory, text: 'Go on', http, steps: [chooseTransition('stay')] })
    http.assertConsumed()
    expect([on.route, on.words.at(-1)]).toEqual([['order>thanks'], 'Thank you.'])
  })

  test('with an unknown outcome, does not repeat the call and lets a model decide', async () => {
    const graph = createFlow([start, { ...node, edges: [...(node.edges ?? []), other] }, thanks, bye], {
      tools: [book],
    })
    const { memory: listening } = await runTurn({ graph })
    const http = createScriptedHttpTools({ book: [never] })
    const cancelledTurn = await runTurn({
      graph,
      memory: listening,
      text: 'Order',
      http,
      steps: [chooseTransition('e1')],
    })
    expect(cancelledTurn.memory.history.at(-1)).toMatchObject({ role: 'assistant', toolCalls: [{ name: 'book' }] })
    const { memory } = cancelledTurn
    const away = await runTurn({ graph, memory, text: 'Stop', http, steps: [chooseTransition('g1')] })
    expect(away.route).toEqual(['order>bye global'])
    const on = await runTurn({
      graph,
      memory,
      text: 'Did it work?',
      http,
      steps: [chooseTransition('stay'), chooseTransition('e2')],
    })
    expect([on.route, on.words]).toEqual([['order>bye'], ['As you wish.']])
    expect(on.requests[1]?.messages[0]?.content).toContain(`What happened at this step: ${OUTCOME_UNKNOWN}`)
    http.assertConsumed()
  })
})

describe('a message after an LLM configuration was interrupted', () => {
  const move = { name: 'transition_to_booking', result: 'success' }
  const edges = [{ destination_state_name: 'booking', description: 'Wants to book.' }]
  const states = [
    { name: 'welcome', edges },
    { name: 'booking', state_prompt: 'Book a table.' },
  ]
  const engine = { states, startingState: 'welcome' }

  test('while speaking, is answered in the new state with the interrupted text', async () => {
    const cancelledTurn = await runTurn({
      engine,
      text: 'A table',
      steps: [callTools([move.name, {}]), streamThenHang('For how')],
    })
    const next = await runTurn({ engine, memory: cancelledTurn.memory, text: 'For two', steps: [replyWith('When?')] })
    expect(next.requests[0]?.messages[0]?.content).toContain('Book a table.')
    expect(listTranscript(next.requests[0])).toEqual([
      'user: A table',
      'assistant: ',
      'assistant: For how',
      'user: For two',
    ])
    expect(next.memory.state?.stateName).toBe('booking')
  })

  test("between a transition's result and the transition, is answered in the new state", async () => {
    const cancelledTurn = await runTurn({
      engine,
      text: 'A table',
      steps: [callTools([move.name, {}])],
      cancelAt: ['tool-result'],
    })
    expect(cancelledTurn.memory.history.at(-1)).toMatchObject({ role: 'tool', content: move.result })
    expect(selectEvents(cancelledTurn.events, 'state-transition')).toEqual([])
    const next = await runTurn({ engine, memory: cancelledTurn.memory, text: 'For two', steps: [replyWith('When?')] })
    expect(selectEvents(next.events, 'state-transition')).toMatchObject([{ from: 'welcome', to: 'booking' }])
    expect(next.requests[0]?.messages[0]?.content).toContain('Book a table.')
  })

  test("between a handover's result and the handover, is answered by the other agent", async () => {
    const { engine: emptyEngine } = buildScenarioConversation({ engine: { generalPrompt: 'You are Bill.' } })
    const other = { agentId: 'agent_2', agentVersion: 1, agentName: 'Bill', engine: emptyEngine }
    const agent: LoadedAgent = { ...other, timezone: 'UTC', fallbackModels: [], fallbackMessage: null }
    const ports = { agents: { load: async () => ({ ok: true, agent }) as const } }
    const handover = {
      engine: { tools: [{ type: 'agent_swap', name: 'to_bill', agent_id: 'agent_2' } as const] },
      ports,
    }
    const cancelledTurn = await runTurn({ ...handover, steps: [callTools(['to_bill', {}])], cancelAt: ['tool-result'] })
    expect(selectEvents(cancelledTurn.events, 'action')).toEqual([])
    const next = await runTurn({
      ...handover,
      memory: cancelledTurn.memory,
      text: 'Hello?',
      steps: [replyWith('Bill here.')],
    })
    expect(selectEvents(next.events, 'action')).toMatchObject([{ action: { type: 'agent-swap' } }])
    expect(next.requests[0]?.messages[0]?.content).toBe('You are Bill.')
  })
})
