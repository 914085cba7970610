import type { FlowNode } from '@parley/contract/flow-node'
import { describe, expect, test } from 'vitest'
import type { OutgoingSms } from '../../ports.ts'
import {
  chooseTransition,
  createEquationEdge,
  createFixedEdge,
  createFlow,
  createPromptEdge,
  createPromptNode,
  createStaticNode,
  type FlowTurnOptions,
  playFlowTurn,
} from '../../testing/flow-scenario.ts'
import {
  callTools,
  createHttpOutcome,
  createScriptedHttpTools,
  failWith,
  replyWith,
  type ScriptedStep,
  selectEvents,
} from '../../testing/index.ts'
import type { AgentLoader, DialogueEvent, FlowEngine } from '../conversation.ts'

const done = createStaticNode('done', 'Done.')
const failed = createStaticNode('failed', 'Failed.')
const else_edge = createFixedEdge('otherwise', 'failed')

interface Given extends FlowTurnOptions {
  readonly flow?: Partial<FlowEngine>
}

const runNodes = (nodes: readonly FlowNode[], { flow = {}, ...options }: Given = {}) =>
  playFlowTurn(createFlow(nodes, flow), options)

describe('a branch', () => {
  const createBranchNodes = (edges: Extract<FlowNode, { type: 'branch' }>['edges']): FlowNode[] => [
    { id: 'b', type: 'branch', edges, else_edge },
    done,
    failed,
  ]

  test("takes the first true equation, then the router's choice, else the else edge", async () => {
    const asked = createPromptEdge('asked', 'The user asks.', 'done')
    expect((await runNodes(createBranchNodes([createEquationEdge('yes', '{{x}} not_exist', 'done')]))).words).toEqual([
      'Done.',
    ])
    expect((await runNodes(createBranchNodes([createEquationEdge('no', '{{x}} exists', 'done')]))).words).toEqual([
      'Failed.',
    ])
    expect((await runNodes(createBranchNodes([asked]), { steps: [chooseTransition('e1')] })).words).toEqual(['Done.'])
    expect((await runNodes(createBranchNodes([asked]), { steps: [chooseTransition('else')] })).words).toEqual([
      'Failed.',
    ])
  })

  test('free chains are followed to their end', async () => {
    const nodes = Array.from({ length: 12 }, (_, index): FlowNode => {
      return {
        id: `b${index}`,
        type: 'branch',
        else_edge: createFixedEdge('on', index === 11 ? 'done' : `b${index + 1}`),
      }
    })
    const { words } = await runNodes([...nodes, done])
    expect(words).toEqual(['Done.'])
  })

  test('costly chains stop at the limit, and the last node answers', async () => {
    const nodes = Array.from({ length: 12 }, (_, index): FlowNode => {
      return { id: `b${index}`, type: 'code', code: 'return 1', else_edge: createFixedEdge('on', `b${index + 1}`) }
    })
    const ports = { code: { run: async () => ({ ok: true, resultText: '1', durationMs: 1 }) as const } }
    const { words, explanations, memory } = await runNodes(nodes, { steps: [replyWith('Where were we?')], ports })
    expect(words).toEqual(['Where were we?'])
    expect(explanations.at(-1)).toEqual({ type: 'hop-limit', nodeId: 'b8', path: [], hops: 8 })
    expect(memory.state?.flow).toMatchObject({ nodeId: 'b8', phase: 'listening' })
    const next = await runNodes(nodes, { memory, text: 'go on', steps: [replyWith('At last.')], ports })
    expect(next.route[0]).toBe('b8>b9')
  })
})

describe('an extraction', () => {
  const variables = [
    { type: 'string', name: 'city', description: 'Where to.' },
    { type: 'number', name: 'seats', description: 'How many.', required: true },
  ] as const
  const extract: FlowNode = {
    id: 'x',
    type: 'extract_dynamic_variables',
    variables: [...variables],
    edges: [createEquationEdge('enough', '{{seats}} > 0', 'done')],
    else_edge,
  }
  const first = createStaticNode('a', 'Where to?', {
    edges: [createPromptEdge('answered', 'The user replyWith it.', 'x')],
  })

  test('asks a model once and stores valid values', async () => {
    const steps = [callTools(['extract_dynamic_variables', { city: 'Rome', seats: '2', other: 1 }])]
    const { words, events, memory } = await runNodes([extract, done, failed], { steps })
    expect(words).toEqual(['Done.'])
    expect(selectEvents(events, 'variables-collected')).toMatchObject([{ variables: { city: 'Rome', seats: '2' } }])
    expect(memory.state?.collectedVariables).toEqual({ city: 'Rome', seats: '2' })
  })

  test('stores nothing without a value or after a failure', async () => {
    for (const step of [callTools(['extract_dynamic_variables', {}]), failWith({ retryable: false })]) {
      const { words, events } = await runNodes([extract, done, failed], { steps: [step] })
      expect(words).toEqual(['Failed.'])
      expect(selectEvents(events, 'variables-collected')).toEqual([])
    }
  })

  test("uses the router's values and asks only for missing required ones", async () => {
    const nodes = [first, extract, done, failed]
    const { memory } = await runNodes(nodes)
    const whole = await runNodes(nodes, { memory, steps: [chooseTransition('e1', { city: 'Rome', seats: 3 })] })
    expect(whole.words).toEqual(['Done.'])
    expect(whole.requests[0]?.tools[0]?.parameters).toMatchObject({ properties: { seats: { type: 'number' } } })
    expect(selectEvents(whole.events, 'variables-collected')).toMatchObject([
      { variables: { city: 'Rome', seats: '3' } },
    ])
    const steps = [chooseTransition('e1', { city: 'Rome' }), callTools(['extract_dynamic_variables', { seats: 4 }])]
    const part = await runNodes(nodes, { memory, steps })
    expect(part.memory.state?.collectedVariables).toEqual({ city: 'Rome', seats: '4' })
  })
})

describe('a text message', () => {
  const createSmsNodes = (instruction: FlowNode['instruction']): FlowNode[] => [
    {
      id: 's',
      type: 'sms',
      instruction,
      success_edge: createFixedEdge('sent', 'done'),
      failed_edge: createFixedEdge('unsent', 'failed'),
    },
    done,
    failed,
  ]
  const conversation = {
    variables: { system: { user_number: '+491' }, given: { who: 'Ann' }, override: {} },
  }
  const createCarrier = (status: 'sent' | 'unsent') => {
    const sent: OutgoingSms[] = []
    const send = async (message: OutgoingSms) => {
      sent.push(message)
      return { status, reason: status === 'sent' ? null : 'No carrier is bound.' }
    }
    return { sent, ports: { sms: { send } } }
  }

  test.each<[string, FlowNode['instruction'], readonly ScriptedStep[], string | RegExp]>([
    ['static text', { type: 'static_text', text: 'Hi {{who}}' }, [], 'Hi Ann'],
    [
      'text of a model',
      { type: 'prompt', text: 'Say hi' },
      [callTools(['write_message', { text: 'Hi {{who}}' }])],
      'Hi {{who}}',
    ],
    ['text of a model without a call', { type: 'prompt', text: 'Say hi' }, [replyWith('Hello')], 'Hello'],
    ['a template', { type: 'template', template: 'info_collection' }, [], /details/],
  ])('sends %s', async (_name, instruction, steps, text) => {
    const { sent, ports } = createCarrier('sent')
    const { words, events, decisions } = await runNodes(createSmsNodes(instruction), { steps, ports, conversation })
    expect(words).toEqual(['Done.'])
    expect(sent).toEqual([{ toNumber: '+491', text: typeof text === 'string' ? text : expect.stringMatching(text) }])
    expect(selectEvents(events, 'action')).toMatchObject([
      { action: { type: 'send-sms', outcome: { status: 'sent' } } },
    ])
    expect(decisions).toEqual(['result sent'])
  })

  test('takes the failure edge if unsent or empty', async () => {
    const { ports } = createCarrier('unsent')
    expect((await runNodes(createSmsNodes({ type: 'static_text', text: 'Hi' }), { ports })).words).toEqual(['Failed.'])
    const blank = await runNodes(createSmsNodes({ type: 'static_text', text: ' ' }))
    expect(blank.words).toEqual(['Failed.'])
    expect(selectEvents(blank.events, 'action')).toEqual([])
  })
})

describe('a handover', () => {
  const createSwapNodes = (fields: object = {}): FlowNode[] => [
    { id: 'h', type: 'agent_swap', agent_id: 'agent_2', edge: createFixedEdge('no', 'failed'), ...fields } as FlowNode,
    failed,
  ]
  const other = createFlow([createStaticNode('o', 'Other here.')], { id: 'conversation_flow_2' })
  const agent = { agentId: 'agent_2', agentVersion: 3, agentName: 'B', engine: other, timezone: 'UTC' }
  const agents: AgentLoader = {
    load: async () => ({ ok: true, agent: { ...agent, fallbackModels: [], fallbackMessage: null } }),
  }

  test('lets the other agent answer in the same turn, from the start of its engine', async () => {
    const handoverMessage = {
      instruction: { type: 'static_text', text: 'I hand you over.' },
      speak_during_execution: true,
    }
    const { words, route, memory } = await runNodes(createSwapNodes(handoverMessage), { ports: { agents } })
    expect(words).toEqual(['I hand you over.', 'Other here.'])
    expect(route).toEqual(['>h', '>o'])
    expect(memory.state).toMatchObject({ agent: { agentId: 'agent_2' }, flow: { nodeId: 'o', transitions: 1 } })
    const silent = await runNodes(createSwapNodes(), { ports: { agents } })
    expect(silent.words).toEqual(['Other here.'])
  })

  test('takes its edge after a failure, without its message', async () => {
    const handoverMessage = {
      instruction: { type: 'static_text', text: 'I hand you over.' },
      speak_during_execution: true,
    }
    const { words, decisions, explanations } = await runNodes(createSwapNodes(handoverMessage))
    expect(words).toEqual(['Failed.'])
    expect(decisions).toEqual(['result no'])
    expect(explanations[0]).toMatchObject({ type: 'agent-swap', ok: false })
    expect((await runNodes(createSwapNodes({ agent_id: undefined }))).words).toEqual(['Failed.'])
  })
})

describe('an end node', () => {
  const createEndNode = (fields: object = {}): FlowNode => ({ id: 'e', type: 'end', ...fields }) as FlowNode
  const isEnded = (events: readonly DialogueEvent[]) =>
    selectEvents(events, 'action').some(({ action }) => action.type === 'end') && events.at(-1)?.type === 'turn-end'

  test.each<[string, object, readonly ScriptedStep[], string[]]>([
    ['static text', { instruction: { type: 'static_text', text: 'Bye {{x | now}}.' } }, [], ['Bye now.']],
    [
      'text of a model',
      { instruction: { type: 'prompt', text: 'Say bye.' } },
      [replyWith('Take care.')],
      ['Take care.'],
    ],
    ['nothing without text', {}, [], []],
    [
      'nothing after blank answers',
      { instruction: { type: 'prompt', text: 'x' } },
      [replyWith(''), replyWith(' ')],
      [],
    ],
    ['nothing after a failure', { instruction: { type: 'prompt', text: 'x' } }, [failWith({ retryable: false })], []],
  ])('says %s and ends', async (_name, fields, steps, words) => {
    const { events, words: said, requests } = await runNodes([createEndNode(fields)], { steps })
    expect(said).toEqual(words)
    expect(isEnded(events)).toBe(true)
    if (requests[0] !== undefined) expect(requests[0].toolChoice).toBe('none')
  })

  test('says nothing without its own text', async () => {
    const nodes = [createStaticNode('a', 'A', { skip_response_edge: createFixedEdge('skip', 'e') }), createEndNode()]
    const { words, events } = await runNodes(nodes)
    expect(words).toEqual(['A'])
    expect(isEnded(events)).toBe(true)
  })
})

test('a chat skips nodes for phone calls', async () => {
  const transfer: FlowNode = { id: 't', type: 'transfer_call', edge: createFixedEdge('no', 'failed') }
  expect((await runNodes([transfer, failed])).decisions).toEqual(['result no'])
  const keys: FlowNode = { id: 'k', type: 'press_digit', edges: [createPromptEdge('p', 'pressed', 'done')], else_edge }
  const pressed = await runNodes([keys, done, failed], { steps: [chooseTransition('else')] })
  expect(pressed.words).toEqual(['Failed.'])
  expect(pressed.requests[0]?.messages[0]?.content).toMatch(
    /this is a written chat; keypad tones \(DTMF\) cannot be sent here/,
  )
  for (const type of ['bridge_transfer', 'cancel_transfer'] as const) {
    const { words, explanations, requests } = await runNodes([{ id: 'n', type }], {
      steps: [replyWith('I cannot do that here.')],
    })
    expect(words).toEqual(['I cannot do that here.'])
    expect(requests[0]?.messages[0]?.content).toMatch(/there is no transfer to connect or cancel here/)
    expect(explanations[0]).toMatchObject({ type: 'skipped' })
  }
})

describe('a subagent', () => {
  const own = { type: 'custom', name: 'book', url: 'https://example.com' } as const
  const shared = { type: 'custom', tool_id: 't2', name: 'look', url: 'https://example.com' } as const
  const hidden = { type: 'custom', name: 'hidden', url: 'https://example.com' } as const
  const node: FlowNode = {
    id: 'w',
    type: 'subagent',
    instruction: { type: 'prompt', text: 'Help.' },
    tools: [own, { type: 'end_call', name: 'hang_up' }],
    tool_ids: ['t2'],
    model_choice: { type: 'cascading', model: 'main' },
    edges: [createPromptEdge('p', 'The user is done.', 'done')],
  }

  test('speaks with its own tools and named tools of the flow until an edge is taken', async () => {
    const http = createScriptedHttpTools({ look: [createHttpOutcome('found')] })
    const flow = { tools: [shared, hidden], model: 'other' }
    const steps = [callTools(['look', {}]), replyWith('I found it.')]
    const { words, requests, memory } = await runNodes([node, done], { http, flow, steps })
    expect(words).toEqual(['I found it.'])
    expect(requests[0]?.tools.map(({ name }) => name)).toEqual(['book', 'hang_up', 'look'])
    const leavingTurn = await runNodes([node, done], { flow, memory, steps: [chooseTransition('e1')] })
    expect(leavingTurn.words).toEqual(['Done.'])
    const ended = await runNodes([node, done], {
      flow,
      memory,
      steps: [chooseTransition('stay'), callTools(['hang_up', {}]), replyWith('Bye')],
    })
    expect(selectEvents(ended.events, 'action')).toMatchObject([{ action: { type: 'end' } }])
  })

  test('fails the turn with its model and speaks in the next one', async () => {
    const { events, memory } = await runNodes([createPromptNode('w', 'Talk.')], {
      steps: [failWith({ retryable: false })],
    })
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', outcome: 'failed' })
    expect(memory.state?.flow).toMatchObject({ nodeId: 'w', phase: 'entering' })
  })
})
