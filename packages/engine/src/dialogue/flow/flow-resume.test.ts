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
  type FlowTurnOptions,
  playFlowTurn,
  storeTurn,
} from '../../testing/flow-scenario.ts'
import {
  callTools,
  createHttpOutcome,
  createScriptedHttpTools,
  createScriptedModel,
  failWith,
  findTurnGrammarProblem,
  flushPromises,
  replyWith,
  selectEvents,
  startScenario,
} from '../../testing/index.ts'
import type { DialogueEvent, FlowEngine } from '../conversation.ts'

/** Aborts a turn at the nth event of a type and keeps only what was stored by then. */
async function interruptAt(
  flow: FlowEngine,
  memory: ConversationMemory,
  { steps = [], text = 'hi', type, nth = 1, ...rest }: FlowTurnOptions & { type: DialogueEvent['type']; nth?: number },
): Promise<{ events: readonly DialogueEvent[]; memory: ConversationMemory }> {
  const models = { main: createScriptedModel([...steps, { events: [{ type: 'hang' }] }]) }
  const input = text === null ? ({ type: 'continue' } as const) : ({ type: 'user-message', content: text } as const)
  const options = { graph: flow, models, input, conversation: memory, ...rest }
  let seen = 0
  const scenario = startScenario(options, (event) => {
    if (event.type === type) seen += 1
    if (seen === nth) scenario.controller.abort()
  })
  await flushPromises()
  expect(scenario.isDone()).toBe(true)
  expect(findTurnGrammarProblem(scenario.events, true)).toBeNull()
  return { events: scenario.events, memory: storeTurn(memory, text, scenario.events, true) }
}

const resumeTurn = (flow: FlowEngine, memory: ConversationMemory, options: FlowTurnOptions = {}) =>
  playFlowTurn(flow, { text: null, memory, ...options })

const look: FlowTool = { type: 'custom', name: 'look', url: 'https://example.com', method: 'GET' }
const post: FlowTool = { type: 'custom', name: 'post', url: 'https://example.com' }
const talk = createPromptNode('b', 'Talk.')
const start = createStaticNode('a', 'A', { edges: [createPromptEdge('p', 'wants b', 'b')] })

describe('an interrupted turn', () => {
  test('after a transition: continues at its node without deciding again', async () => {
    const flow = createFlow([start, talk])
    const { memory } = await resumeTurn(flow, EMPTY_MEMORY, { text: 'hi' })
    const interrupted = await interruptAt(flow, memory, { steps: [chooseTransition('e1')], type: 'node-transition' })
    expect(interrupted.memory.state?.flow).toMatchObject({ nodeId: 'b', phase: 'entering' })
    const { route, words, memory: after } = await resumeTurn(flow, interrupted.memory, { steps: [replyWith('B')] })
    expect([route, words]).toEqual([[], ['B']])
    expect(after.state?.flow).toMatchObject({ nodeId: 'b', phase: 'listening', visits: { b: 1 } })
  })

  test('while a node spoke: keeps the transition and answers the next message there', async () => {
    const flow = createFlow([start, talk])
    const { memory } = await resumeTurn(flow, EMPTY_MEMORY, { text: 'hi' })
    const half = { events: [{ type: 'text-delta', text: 'Half' }, { type: 'hang' }] } as const
    const interrupted = await interruptAt(flow, memory, { steps: [chooseTransition('e1'), half], type: 'text-delta' })
    expect(interrupted.events.at(-1)).toMatchObject({ type: 'message-end', content: 'Half', incomplete: true })
    const { route, words } = await resumeTurn(flow, interrupted.memory, { text: 'wait', steps: [replyWith('B')] })
    expect([route, words]).toEqual([[], ['B']])
  })

  test('while a node spoke in a long conversation: still routes the next message', async () => {
    const flow = createFlow([{ ...talk, edges: [createPromptEdge('q', 'wants c', 'c')] }, createStaticNode('c', 'C')])
    const half = { events: [{ type: 'text-delta', text: 'Half' }, { type: 'hang' }] } as const
    const before = { ...EMPTY_MEMORY, history: [{ role: 'user', content: 'First' }], omittedMessages: 9 } as const
    const interrupted = await interruptAt(flow, before, { steps: [half], type: 'text-delta' })
    const memory = { ...interrupted.memory, history: interrupted.memory.history.slice(1), omittedMessages: 10 }
    const { route } = await resumeTurn(flow, memory, { text: 'c', steps: [chooseTransition('e1')] })
    expect(route).toEqual(['b>c'])
  })

  test('during a static text: replyWith it again', async () => {
    const flow = createFlow([start, talk])
    const interrupted = await interruptAt(flow, EMPTY_MEMORY, { type: 'text-delta' })
    const { route, words } = await resumeTurn(flow, interrupted.memory)
    expect([route, words]).toEqual([[], ['A']])
  })

  test('before its first transition: starts at the first node', async () => {
    const { route } = await resumeTurn(createFlow([start]), { history: [{ role: 'user', content: 'hi' }], state: null })
    expect(route).toEqual(['>a'])
  })

  test('before its decision: decides about the unanswered message', async () => {
    const flow = createFlow([start, talk])
    const { memory } = await resumeTurn(flow, EMPTY_MEMORY, { text: 'hi' })
    const failed = await resumeTurn(flow, memory, {
      text: 'b',
      steps: [chooseTransition('stay'), failWith({ retryable: false })],
    })
    expect(failed.events.at(-1)).toMatchObject({ outcome: 'failed', state: { flow: { phase: 'listening' } } })
    const { route } = await resumeTurn(flow, failed.memory, { steps: [chooseTransition('e1'), replyWith('B')] })
    expect(route).toEqual(['a>b'])
  })

  test('after its answer: is complete', async () => {
    const flow = createFlow([start])
    const { memory } = await resumeTurn(flow, EMPTY_MEMORY, { text: 'hi' })
    expect((await resumeTurn(flow, memory)).events).toMatchObject([{ type: 'turn-end', outcome: 'completed' }])
  })

  test('between two speaking nodes: lets only the second speak', async () => {
    const flow = createFlow([createStaticNode('a', 'A', { skip_response_edge: createFixedEdge('skip', 'b') }), talk])
    const interrupted = await interruptAt(flow, EMPTY_MEMORY, { type: 'node-transition', nth: 2 })
    expect(interrupted.memory.history).toHaveLength(2)
    const { words } = await resumeTurn(flow, interrupted.memory, { steps: [replyWith('B')] })
    expect(words).toEqual(['B'])
  })
})

describe('a tool call of an interrupted turn', () => {
  const createNodes = (tool: string): FlowNode[] => [
    { id: 'f', type: 'function', tool_id: tool, edges: [createEquationEdge('e', '{{x}} not_exist', 'b')] },
    talk,
  ]
  const flow = (tool: string) => createFlow(createNodes(tool), { tools: [look, post] })

  test('is not repeated if its result was recorded', async () => {
    const http = createScriptedHttpTools({ post: [createHttpOutcome('done')] })
    const interrupted = await interruptAt(flow('post'), EMPTY_MEMORY, { http, type: 'tool-result' })
    const { route, words, requests } = await resumeTurn(flow('post'), interrupted.memory, {
      http,
      steps: [replyWith('B')],
    })
    http.assertConsumed()
    expect([route, words]).toEqual([['f>b'], ['B']])
    expect(requests[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
  })

  test('is not repeated if the start of the conversation is omitted either', async () => {
    const http = createScriptedHttpTools({ post: [createHttpOutcome('done')] })
    const interrupted = await interruptAt(
      flow('post'),
      { ...EMPTY_MEMORY, omittedMessages: 9 },
      { http, type: 'tool-result' },
    )
    const memory = { ...interrupted.memory, history: interrupted.memory.history.slice(1), omittedMessages: 10 }
    const { route } = await resumeTurn(flow('post'), memory, { http, steps: [replyWith('B')] })
    http.assertConsumed()
    expect(route).toEqual(['f>b'])
  })

  test('without a result is repeated only if that is safe', async () => {
    const http = createScriptedHttpTools({
      look: [createHttpOutcome('1'), createHttpOutcome('2')],
      post: [createHttpOutcome('1')],
    })
    const repeatable = await interruptAt(flow('look'), EMPTY_MEMORY, { http, type: 'message-end' })
    const again = await resumeTurn(flow('look'), repeatable.memory, { http, steps: [replyWith('B')] })
    expect(selectEvents(again.events, 'tool-result')).toMatchObject([{ content: '1', ok: true }])
    const single = await interruptAt(flow('post'), EMPTY_MEMORY, { http, type: 'message-end' })
    const unknown = await resumeTurn(flow('post'), single.memory, { http, steps: [replyWith('B')] })
    expect(selectEvents(unknown.events, 'tool-result')).toMatchObject([
      { ok: false, content: expect.stringMatching(/^outcome unknown/) },
    ])
    expect(http.calls.map(({ name }) => name)).toEqual(['look'])
  })

  test('is made again or has an unknown outcome when the user speaks first', async () => {
    const http = createScriptedHttpTools({ look: [createHttpOutcome('1')] })
    for (const [tool, results] of [
      ['look', 1],
      ['post', 0],
    ] as const) {
      const interrupted = await interruptAt(flow(tool), EMPTY_MEMORY, { http, type: 'message-end' })
      const { words, events } = await resumeTurn(flow(tool), interrupted.memory, {
        text: 'well?',
        http,
        steps: [replyWith('B')],
      })
      expect(words).toEqual(['B'])
      expect(selectEvents(events, 'tool-result')).toHaveLength(results)
    }
    http.assertConsumed()
  })

  test('of an earlier node does not count for the next', async () => {
    const http = createScriptedHttpTools({ post: [createHttpOutcome('1'), createHttpOutcome('2')] })
    const twice: FlowNode[] = [
      { id: 'f', type: 'function', tool_id: 'post', edges: [createPromptEdge('p', 'on', 'g')] },
      { id: 'g', type: 'function', tool_id: 'post', edges: [createPromptEdge('p', 'on', 'b')] },
      talk,
    ]
    const both = createFlow(twice, { tools: [post] })
    const interrupted = await interruptAt(both, EMPTY_MEMORY, { http, type: 'node-transition', nth: 2 })
    const { words } = await resumeTurn(both, interrupted.memory, { http, steps: [replyWith('B')] })
    http.assertConsumed()
    expect(words).toEqual(['B'])
  })

  test('that ends the conversation still ends it', async () => {
    const ending: FlowTool = { type: 'end_call', name: 'hang_up' }
    const end = createFlow([{ id: 'f', type: 'function', tool_id: 'hang_up' }], { tools: [ending] })
    for (const type of ['message-end', 'tool-result'] as const) {
      const interrupted = await interruptAt(end, EMPTY_MEMORY, { type })
      const { events, words } = await resumeTurn(end, interrupted.memory)
      expect(words).toEqual([])
      expect(events.slice(-2)).toMatchObject([{ type: 'action', action: { type: 'end' } }, { type: 'turn-end' }])
    }
  })

  test('that the channel refused has failed', async () => {
    const press: FlowTool = { type: 'press_digit', name: 'press' }
    const failed_edge = createFixedEdge('failed', 'a')
    const node: FlowNode = {
      id: 'f',
      type: 'function',
      tool_id: 'press',
      edges: [createPromptEdge('p', 'on', 'b')],
      failed_edge,
    }
    const flowOfKeys = createFlow([node, createStaticNode('a', 'A'), talk], { tools: [press] })
    const interrupted = await interruptAt(flowOfKeys, EMPTY_MEMORY, { type: 'tool-result' })
    expect((await resumeTurn(flowOfKeys, interrupted.memory)).route).toEqual(['f>a'])
  })

  test('never sends a text message twice', async () => {
    const sent: string[] = []
    const sms = {
      send: async ({ text }: { text: string }) => {
        sent.push(text)
        return { status: 'sent', reason: null } as const
      },
    }
    const node = { id: 's', type: 'sms', instruction: { type: 'prompt', text: 'Say hi' } } as const
    const edges = { success_edge: createFixedEdge('yes', 'b'), failed_edge: createFixedEdge('no', 'a') }
    const flowOfSms = createFlow([{ ...node, ...edges }, start, talk])
    const steps = [callTools(['write_message', { text: 'Hi' }])]
    const before = await interruptAt(flowOfSms, EMPTY_MEMORY, { ports: { sms }, steps, type: 'message-end' })
    expect((await resumeTurn(flowOfSms, before.memory, { ports: { sms } })).route).toEqual(['s>a'])
    expect(sent).toEqual([])
    const after = await interruptAt(flowOfSms, EMPTY_MEMORY, { ports: { sms }, steps, type: 'tool-result' })
    expect((await resumeTurn(flowOfSms, after.memory, { ports: { sms }, steps: [replyWith('B')] })).route).toEqual([
      's>b',
    ])
    expect(sent).toEqual(['Hi'])
  })

  test('of a speaking model continues with its result', async () => {
    const agent: FlowNode = { id: 'w', type: 'subagent', instruction: { type: 'prompt', text: 'Help.' }, tools: [post] }
    const flowOfAgent = createFlow([agent])
    const http = createScriptedHttpTools({ post: [createHttpOutcome('done')] })
    const interrupted = await interruptAt(flowOfAgent, EMPTY_MEMORY, {
      http,
      steps: [callTools(['post', {}])],
      type: 'tool-result',
    })
    const { words } = await resumeTurn(flowOfAgent, interrupted.memory, { http, steps: [replyWith('It is done.')] })
    http.assertConsumed()
    expect(words).toEqual(['It is done.'])
  })
})

test('a turn canceled after any number of steps stops cleanly', async () => {
  const nodes: FlowNode[] = [
    createStaticNode('a', 'A', { skip_response_edge: createFixedEdge('skip', 'f') }),
    { id: 'f', type: 'function', tool_id: 'look', edges: [createPromptEdge('p', 'on', 'g')] },
    { id: 'g', type: 'function', tool_id: 'post', wait_for_result: false, edges: [createPromptEdge('p', 'on', 'r')] },
    { id: 'r', type: 'branch', edges: [createPromptEdge('p', 'on', 'b')], else_edge: createFixedEdge('else', 'b') },
    talk,
  ]
  const flow = createFlow(nodes, { tools: [look, post] })
  let completed = 0
  for (let steps = 0; steps < 400; steps += 1) {
    const http = createScriptedHttpTools({ look: [createHttpOutcome('1')], post: [createHttpOutcome('2')] })
    const models = { main: createScriptedModel([chooseTransition('e1'), replyWith('B')]) }
    const scenario = startScenario({ graph: flow, models, http })
    for (let step = 0; step < steps; step += 1) await Promise.resolve()
    scenario.controller.abort()
    await flushPromises()
    expect(scenario.isDone()).toBe(true)
    expect(findTurnGrammarProblem(scenario.events, true, { lateTools: new Set(['post']) })).toBeNull()
    expect(scenario.time.countPendingTimers()).toBe(0)
    if (scenario.events.at(-1)?.type === 'turn-end') completed += 1
  }
  expect(completed).toBeGreaterThan(0)
  expect(completed).toBeLessThan(400)
})

test('a consumer that stops reading cancels running calls', async () => {
  const nodes: FlowNode[] = [
    { id: 'g', type: 'function', tool_id: 'post', wait_for_result: false, edges: [createPromptEdge('p', 'on', 'b')] },
    talk,
  ]
  let signal: AbortSignal | null = null
  const http = createScriptedHttpTools({
    post: [
      (call) => {
        signal = call.signal
        return new Promise<never>(() => {})
      },
    ],
  })
  const models = { main: createScriptedModel([{ events: [{ type: 'text-delta', text: 'Hi' }, { type: 'hang' }] }]) }
  const scenario = startScenario({ graph: createFlow(nodes, { tools: [post] }), models, http }, ({ type }) => {
    if (type === 'text-delta') throw new Error('the consumer failed')
  })
  await expect(scenario.finished).rejects.toThrow('the consumer failed')
  await flushPromises()
  expect(signal).toMatchObject({ aborted: true })
  expect(scenario.countListeners()).toBe(0)
  expect(scenario.time.countPendingTimers()).toBe(0)
})

test('asks an interrupted approval question when the turn resumes', async () => {
  const mcps = [{ mcp_id: 'm', name: 'M', url: 'https://example.com', require_approval: 'always' as const }]
  const search: FlowTool = { type: 'mcp', name: 'search', mcp_id: 'm' }
  const flow = createFlow([{ id: 'f', type: 'function', tool_id: 'search' }], { tools: [search], mcps })
  const interrupted = await interruptAt(flow, EMPTY_MEMORY, { type: 'tool-result' })
  const { words, memory } = await resumeTurn(flow, interrupted.memory, { steps: [replyWith('May I?')] })
  expect(words).toEqual(['May I?'])
  expect(memory.state?.approvals).toEqual([{ toolName: 'search', args: {} }])
})

test('enters or decides at a manually set place', async () => {
  const flow = createFlow([start, talk])
  const blank = { origins: [], visits: {}, transitions: 0, globalEntries: {} }
  const engine = { kind: 'conversation-flow', id: flow.id, version: 1 } as const
  const createMemory = (phase: 'entering' | 'listening'): ConversationMemory => {
    const state = {
      schema: 1,
      engine,
      collectedVariables: {},
      flow: { ...blank, nodeId: 'a', path: [], phase },
    } as const
    return { history: [], state }
  }
  expect((await resumeTurn(flow, createMemory('entering'), { text: 'hi' })).words).toEqual(['A'])
  expect((await resumeTurn(flow, createMemory('entering'))).words).toEqual(['A'])
  const decided = await resumeTurn(flow, createMemory('listening'), {
    text: 'hi',
    steps: [chooseTransition('e1'), replyWith('B')],
  })
  expect(decided.route).toEqual(['a>b'])
})
