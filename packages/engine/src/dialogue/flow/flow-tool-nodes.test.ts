import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'
import { describe, expect, test } from 'vitest'
import type { CodeRun, McpCall, McpClient } from '../../ports.ts'
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
  listTexts,
  playFlowTurn,
  storeTurn,
} from '../../testing/flow-scenario.ts'
import {
  callTools,
  createHttpOutcome,
  createManualClock,
  createScriptedHttpTools,
  createScriptedModel,
  findTurnGrammarProblem,
  replyWith,
  selectEvents,
  startScenario,
} from '../../testing/index.ts'

const done = createStaticNode('done', 'Done.')
const failed = createStaticNode('failed', 'Failed.')
const edges = [createEquationEdge('ok', '{{n}} exists', 'done')]
const else_edge = createFixedEdge('otherwise', 'failed')
const book: FlowTool = {
  type: 'custom',
  tool_id: 'tool_1',
  name: 'book',
  url: 'https://example.com',
  parameters: {
    type: 'object',
    properties: { day: { type: 'string', enum: ['Monday', 'Friday'] } },
    required: ['day'],
  },
  response_variables: { n: 'n' },
}
const look: FlowTool = { type: 'custom', name: 'look', url: 'https://example.com', response_variables: { n: 'n' } }

const server = { name: 'Files', url: 'https://example.com' }
const mcps = [
  { ...server, mcp_id: 'm1' },
  { ...server, mcp_id: 'm2', require_approval: 'always' as const },
]
const tools: FlowTool[] = [book, look, { type: 'end_call', name: 'hang_up' }]
const runNodes = (nodes: readonly FlowNode[], options: FlowTurnOptions = {}) =>
  playFlowTurn(createFlow(nodes, { tools, mcps }), options)

describe('a function node', () => {
  const createNodes = (fields: Partial<Extract<FlowNode, { type: 'function' }>> = {}): FlowNode[] => [
    { id: 'f', type: 'function', tool_id: 'look', edges, else_edge, ...fields },
    done,
    failed,
  ]

  test('runs a tool without arguments without a model', async () => {
    const http = createScriptedHttpTools({ look: [createHttpOutcome({ n: 3 })] })
    const { words, events } = await runNodes(createNodes(), { http })
    http.assertConsumed()
    expect(words).toEqual(['Done.'])
    expect(selectEvents(events, 'message-end')[0]).toMatchObject({ content: '', toolCalls: [{ name: 'look' }] })
    expect(selectEvents(events, 'tool-result')).toMatchObject([{ name: 'look', ok: true }])
  })

  test('asks a model for arguments, and again if they are invalid', async () => {
    const http = createScriptedHttpTools({ book: [createHttpOutcome({ n: 3 })] })
    const steps = [callTools(['book', { day: 'Sunday' }]), callTools(['book', { day: 'Friday' }])]
    const { words, events, requests } = await runNodes(createNodes({ tool_id: 'tool_1' }), { http, steps })
    expect(http.calls).toMatchObject([{ args: { day: 'Friday' } }])
    expect(words).toEqual(['Done.'])
    expect(selectEvents(events, 'tool-result').map(({ ok }) => ok)).toEqual([false, true])
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['book'])
    expect(requests[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: expect.stringMatching(/not valid/) })
  })

  test('gives up after two invalid calls or without a call', async () => {
    const wrong = callTools(['book', { day: 'Sunday' }])
    const twice = await runNodes(createNodes({ tool_id: 'tool_1' }), { steps: [wrong, wrong] })
    expect(twice.words).toEqual(['Failed.'])
    const silent = await runNodes(createNodes({ tool_id: 'tool_1' }), { steps: [replyWith('Which day?')] })
    expect(silent.words).toEqual(['Failed.'])
  })

  test("says a static message with the call, or a model's words before it", async () => {
    const http = createScriptedHttpTools({ look: [createHttpOutcome({ n: 1 }), createHttpOutcome({ n: 1 })] })
    const fixed = { instruction: { type: 'static_text', text: 'One moment.' }, speak_during_execution: true } as const
    const { words, events } = await runNodes(createNodes(fixed), { http })
    expect(words).toEqual(['One moment.', 'Done.'])
    const [message] = selectEvents(events, 'message-end')
    expect(message).toMatchObject({ content: 'One moment.', toolCalls: [{ name: 'look' }] })
    const worded = { instruction: { type: 'prompt', text: 'Ask to wait.' }, speak_during_execution: true } as const
    const other = await runNodes(createNodes(worded), { http, steps: [replyWith('Please wait.')] })
    expect(other.words).toEqual(['Please wait.', 'Done.'])
    expect(other.requests[0]).toMatchObject({
      tools: [],
      messages: [{ content: 'You are a test.\n\nAsk to wait.' }, {}],
    })
  })

  test('fails without its tool and tells the router', async () => {
    const nodes = createNodes({ tool_id: 'gone', edges: [createPromptEdge('p', 'It worked.', 'done')] })
    const { words, explanations, requests } = await runNodes(nodes, { steps: [chooseTransition('else')] })
    expect(words).toEqual(['Failed.'])
    expect(explanations[0]).toMatchObject({ type: 'skipped', what: 'node "f" (function)' })
    expect(requests[0]?.messages[0]?.content).toMatch(/What happened at this step: .*no tool "gone"/)
  })

  test('takes its only edge, or lets its model answer without one', async () => {
    const http = createScriptedHttpTools({ look: [createHttpOutcome({}), createHttpOutcome({})] })
    const [first, ...rest] = createNodes({ edges: [createPromptEdge('p', 'It worked.', 'done')] })
    const { else_edge: _none, ...bare } = first as Extract<FlowNode, { type: 'function' }>
    const one = await runNodes([bare, ...rest], { http })
    expect(one.words).toEqual(['Done.'])
    expect(one.decisions).toEqual(['only-edge p'])
    const none = await runNodes([{ ...bare, edges: [] }], { http, steps: [replyWith('Here you are.')] })
    expect(none.words).toEqual(['Here you are.'])
    expect(none.memory.state?.flow).toMatchObject({ nodeId: 'f', phase: 'listening' })
  })

  test('ends the conversation by a tool', async () => {
    const { words, events } = await runNodes(createNodes({ tool_id: 'hang_up' }))
    expect(words).toEqual([])
    expect(events.slice(-2)).toMatchObject([{ type: 'action', action: { type: 'end' } }, { type: 'turn-end' }])
  })
})

test('continues while a tool runs if the node does not wait, and ends the turn after its result', async () => {
  const time = createManualClock()
  const nodes: FlowNode[] = [
    {
      id: 'f',
      type: 'function',
      tool_id: 'look',
      wait_for_result: false,
      edges: [createPromptEdge('p', 'on', 'talk')],
    },
    createPromptNode('talk', 'Talk.'),
  ]
  const http = createScriptedHttpTools({
    look: [
      () =>
        new Promise((resolve) => {
          time.clock.after(30_000, () => resolve(createHttpOutcome({ n: 7 })))
        }),
    ],
  })
  const main = createScriptedModel([replyWith('Meanwhile')])
  const scenario = startScenario({ graph: createFlow(nodes, { tools }), models: { main }, http, time })
  await time.advance(1_000)
  expect(listTexts(scenario.events)).toEqual(['Meanwhile'])
  expect(selectEvents(scenario.events, 'tool-result')).toEqual([])
  expect(main.requests[0]?.messages[0]?.content).toMatch(/Still at work: look/)
  await time.advance(60_000)
  expect(scenario.isDone()).toBe(true)
  expect(scenario.countListeners()).toBe(0)
  expect(scenario.events.slice(-3).map(({ type }) => type)).toEqual(['variables-collected', 'tool-result', 'turn-end'])
  expect(scenario.events.at(-1)).toMatchObject({ state: { collectedVariables: { n: '7' } } })
  expect(findTurnGrammarProblem(scenario.events, false, { lateTools: new Set(['look']) })).toBeNull()
  const memory = storeTurn(EMPTY_MEMORY, 'hello', scenario.events)
  const after = await runNodes(nodes, { memory, text: 'and?', steps: [replyWith('Seven.')] })
  const messages = after.requests[0]?.messages ?? []
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  expect(messages[3]).toMatchObject({ content: '{"n":7}' })
})

describe('a code node', () => {
  test('runs its code and collects variables from the result', async () => {
    const runs: CodeRun[] = []
    const code = {
      run: async (run: CodeRun) => {
        runs.push(run)
        return { ok: true, resultText: '{"n":5}', durationMs: 1 } as const
      },
    }
    const node = { id: 'c', type: 'code', name: 'Count it!', code: 'return 5', response_variables: { n: 'n' } } as const
    const { words, events } = await runNodes([{ ...node, edges, else_edge }, done, failed], { ports: { code } })
    expect(words).toEqual(['Done.'])
    expect(runs).toMatchObject([{ code: 'return 5', timeoutMs: 30_000 }])
    expect(selectEvents(events, 'tool-result')).toMatchObject([{ name: 'Count_it_', ok: true }])
  })

  test('fails without code or with a failing runner', async () => {
    const broken: FlowNode = { id: 'c', type: 'code', code: 'x(', edges, else_edge }
    expect((await runNodes([broken, done, failed])).words).toEqual(['Failed.'])
    expect((await runNodes([{ ...broken, code: ' ' }, done, failed])).words).toEqual(['Failed.'])
  })
})

describe('an MCP node', () => {
  const inputSchema = { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] } as const
  const createClient = (tools: readonly object[] = [{ name: 'find.it', description: 'Finds.', inputSchema }]) => {
    const calls: McpCall[] = []
    const mcp = {
      listTools: async () => ({ ok: true, tools, durationMs: 1 }),
      call: async (call: McpCall) => {
        calls.push(call)
        return { ok: true, bodyText: '{"n":2}', durationMs: 1 }
      },
    } as McpClient
    return { mcp, calls }
  }
  const createNodes = (mcp_id: string): FlowNode[] => [
    { id: 'm', type: 'mcp', mcp_id, mcp_tool_name: 'find.it', response_variables: { n: 'n' }, edges, else_edge },
    done,
    failed,
  ]

  test("calls its server's tool with arguments for its schema", async () => {
    const { mcp, calls } = createClient()
    const { words, requests } = await runNodes(createNodes('m1'), {
      ports: { mcp },
      steps: [callTools(['find_it', { q: 'x' }])],
    })
    expect(words).toEqual(['Done.'])
    expect(calls).toMatchObject([{ toolName: 'find.it', args: { q: 'x' } }])
    expect(requests[0]?.tools).toEqual([{ name: 'find_it', description: 'Finds.', parameters: inputSchema }])
  })

  test('calls a tool without arguments without a model', async () => {
    const { mcp, calls } = createClient([{ name: 'find.it', description: '', inputSchema: { type: 'object' } }])
    await runNodes(createNodes('m1'), { ports: { mcp } })
    expect(calls).toMatchObject([{ args: {} }])
  })

  test('requests approval if the server requires it and runs with the approved arguments', async () => {
    const { mcp, calls } = createClient()
    const ports = { mcp }
    const steps = [callTools(['find_it', { q: 'x' }]), replyWith('May I?')]
    const asking = await runNodes(createNodes('m2'), { ports, steps })
    expect(asking.words).toEqual(['May I?'])
    expect(calls).toEqual([])
    expect(asking.requests[1]?.messages[0]?.content).toMatch(/the user has to agree/)
    const { memory } = asking
    const unsure = await runNodes(createNodes('m2'), {
      ports,
      memory,
      steps: [chooseTransition('stay'), replyWith('Yes or no?')],
      text: 'hm',
    })
    expect(unsure.words).toEqual(['Yes or no?'])
    const agreed = await runNodes(createNodes('m2'), {
      ports,
      memory: unsure.memory,
      steps: [chooseTransition('e1')],
      text: 'yes',
    })
    expect(agreed.words).toEqual(['Done.'])
    expect(calls).toMatchObject([{ args: { q: 'x' } }])
    expect(agreed.memory.state).not.toHaveProperty('approvals')
    const refused = await runNodes(createNodes('m2'), { ports, memory, steps: [chooseTransition('e2')], text: 'no' })
    expect(refused.words).toEqual(['Failed.'])
    expect(refused.memory.state).not.toHaveProperty('approvals')
    expect(calls).toHaveLength(1)
  })

  test('drops its approval request when the conversation leaves, and asks again', async () => {
    const { mcp, calls } = createClient()
    const ports = { mcp }
    const human = createStaticNode('human', 'A human.', {
      global_node_setting: { condition: 'The user wants a human.' },
      edges: [createPromptEdge('p', 'The user wants the search.', 'm')],
    })
    const nodes = [...createNodes('m2'), human]
    const call = callTools(['find_it', { q: 'x' }])
    const { memory } = await runNodes(nodes, { ports, steps: [call, replyWith('May I?')] })
    const leavingTurn = await runNodes(nodes, { ports, memory, steps: [chooseTransition('g1')], text: 'a human' })
    expect(leavingTurn.words).toEqual(['A human.'])
    expect(leavingTurn.memory.state).not.toHaveProperty('approvals')
    const again = await runNodes(nodes, {
      ports,
      memory: leavingTurn.memory,
      steps: [chooseTransition('e1'), call, replyWith('May I now?')],
    })
    expect(again.words).toEqual(['May I now?'])
    expect(calls).toEqual([])
  })

  test('does not repeat a declined call in a loop', async () => {
    const { mcp, calls } = createClient()
    const [first] = createNodes('m2')
    const circle = [{ ...first, else_edge: createFixedEdge('again', 'm') } as FlowNode, done]
    const call = callTools(['find_it', { q: 'x' }])
    const { memory } = await runNodes(circle, { ports: { mcp }, steps: [call, replyWith('May I?')] })
    const steps = [chooseTransition('e2'), call, replyWith('May I after all?')]
    expect((await runNodes(circle, { ports: { mcp }, memory, steps, text: 'no' })).words).toEqual(['May I after all?'])
    expect(calls).toEqual([])
  })

  test('fails without a working server', async () => {
    const unknownServer = await runNodes(createNodes('m9'))
    expect(unknownServer.words).toEqual(['Failed.'])
    const silent = await runNodes(createNodes('m1'), { steps: [callTools(['find_it', {}])] })
    expect(silent.words).toEqual(['Failed.'])
  })

  test('is replaced by a mock without any request', async () => {
    const toolMocks = [{ toolName: 'find_it', args: null, output: '{"n":1}', ok: true }]
    const { words } = await runNodes(createNodes('m2'), {
      steps: [callTools(['find_it', {}])],
      conversation: { toolMocks },
    })
    expect(words).toEqual(['Done.'])
  })
})

test('a turn follows the results of tools', async () => {
  const http = createScriptedHttpTools({ look: [createHttpOutcome({ n: 1 })] })
  const nodes: FlowNode[] = [{ id: 'f', type: 'function', tool_id: 'look', edges, else_edge }, done, failed]
  expect((await runNodes(nodes, { http })).route).toEqual(['>f', 'f>done'])
})

describe('a failing tool', () => {
  const failing = { ok: false, reason: 'timeout', status: null, message: 'Too late.', durationMs: 1 } as const
  const failed_edge = createFixedEdge('broken', 'failed')
  const node: FlowNode = {
    id: 'f',
    type: 'function',
    tool_id: 'look',
    edges,
    else_edge: createFixedEdge('else', 'done'),
  }
  const known: ConversationMemory = {
    history: [],
    state: {
      schema: 1,
      engine: { kind: 'conversation-flow', id: 'conversation_flow_1', version: 1 },
      collectedVariables: { n: '3', other: '4' },
    },
  }

  test('clears its variables, so that no edge uses an old result', async () => {
    const http = createScriptedHttpTools({ look: [failing] })
    const { words, events, memory } = await runNodes([{ ...node, else_edge }, done, failed], { http, memory: known })
    expect(words).toEqual(['Failed.'])
    expect(selectEvents(events, 'variables-collected')).toMatchObject([{ variables: { n: null } }])
    expect(memory.state?.collectedVariables).toEqual({ other: '4' })
  })

  test('takes the failure edge', async () => {
    const http = createScriptedHttpTools({ look: [failing] })
    const { words, decisions } = await runNodes([{ ...node, failed_edge }, done, failed], { http })
    expect(words).toEqual(['Failed.'])
    expect(decisions).toEqual(['result broken'])
  })

  test.each<[string, FlowNode, FlowTurnOptions]>([
    ['of an unknown tool', { ...node, tool_id: 'gone', failed_edge }, {}],
    ['without arguments', { ...node, tool_id: 'tool_1', failed_edge }, { steps: [replyWith('Which day?')] }],
    [
      'of code',
      { id: 'f', type: 'code', code: 'throw 1', failed_edge },
      { ports: { code: { run: async () => failing } } },
    ],
    [
      'of an MCP server',
      { id: 'f', type: 'mcp', mcp_id: 'm1', mcp_tool_name: 'read', failed_edge },
      {
        ports: { mcp: { listTools: async () => failing, call: async () => failing } },
        steps: [callTools(['read', {}])],
      },
    ],
  ])('takes the failure edge %s', async (_name, broken, given) => {
    expect((await runNodes([broken, done, failed], given)).decisions).toEqual(['result broken'])
  })

  test('a working tool does not', async () => {
    const http = createScriptedHttpTools({ look: [createHttpOutcome({ n: 3 })] })
    const { words } = await runNodes([{ ...node, failed_edge }, done, failed], { http })
    expect(words).toEqual(['Done.'])
  })

  test('null in a response or an extraction clears a variable', async () => {
    const http = createScriptedHttpTools({ look: [createHttpOutcome({ n: null })] })
    const byAnswer = await runNodes([{ ...node, else_edge }, done, failed], { http, memory: known })
    expect(byAnswer.memory.state?.collectedVariables).toEqual({ other: '4' })
    const extract: FlowNode = {
      id: 'x',
      type: 'extract_dynamic_variables',
      variables: [{ type: 'number', name: 'n', description: 'A number.' }],
      edges: [createEquationEdge('unknown', '{{n}} not_exist', 'done')],
      else_edge,
    }
    const steps = [callTools(['extract_dynamic_variables', { n: null }])]
    const byModel = await runNodes([extract, done, failed], { memory: known, steps })
    expect(byModel.words).toEqual(['Done.'])
    expect(byModel.memory.state?.collectedVariables).toEqual({ other: '4' })
  })
})
