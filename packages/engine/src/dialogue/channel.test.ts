import { readFileSync } from 'node:fs'
import { FlowNode, type FlowNodeType } from '@parley/contract/flow-node'
import { Tool } from '@parley/contract/tools'
import { describe, expect, test } from 'vitest'
import {
  chooseTransition,
  createFixedEdge,
  createFlow,
  createGraph,
  createPromptEdge,
  createStaticNode,
  listDecisions,
} from '../testing/flow-scenario.ts'
import {
  buildScenarioConversation,
  callTools,
  createHttpOutcome,
  createScriptedHttpTools,
  createScriptedModel,
  replyWith,
  runScenario,
  selectEvents,
} from '../testing/index.ts'
import { type ChannelKind, createChannel, getChannelRefusal, NOT_IMPLEMENTED } from './channel.ts'

const KINDS: readonly ChannelKind[] = ['chat', 'sms', 'web_call', 'phone_call']
const NAMES: Readonly<Record<ChannelKind, string>> = {
  chat: 'a written chat',
  sms: 'a text message conversation',
  web_call: 'a web call in the browser',
  phone_call: 'a phone call',
}

type Outcome = 'yes' | 'no' | 'not offered'

/** Outcomes of each tool and node type according to the guide, in the order of `KINDS`. */
function readGuide(): { readonly tools: Map<string, string[]>; readonly nodes: Map<string, string[]> } {
  const guide = readFileSync(new URL('../../../../docs/guides/tools.md', import.meta.url), 'utf8')
  const section = guide.split('\n## Tool availability\n')[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| -'))
  const tools = new Map<string, string[]>()
  const nodes = new Map<string, string[]>()
  for (const row of rows) {
    const [, forTools = '', forNodes = '', ...cells] = row.split('|').map((cell) => cell.trim())
    for (const [, type = ''] of forTools.matchAll(/`(\w+)`/g)) tools.set(type, cells.slice(0, KINDS.length))
    for (const [, type = ''] of forNodes.matchAll(/`(\w+)`/g)) nodes.set(type, cells.slice(0, KINDS.length))
  }
  return { tools, nodes }
}

const documented = readGuide()
const NUMBER = { type: 'predefined', number: '+15550100' } as const
const CUSTOM = { type: 'custom', name: 'x', url: 'https://example.com' } as const
const MCP = { mcp_id: 'crm', name: 'crm', url: 'https://example.com' }
const NO_ARGUMENTS = { description: '', inputSchema: { type: 'object', properties: {} } } as const

/** Ports that all succeed. */
function createSuccessfulPorts(kind: ChannelKind) {
  const other = { ...buildScenarioConversation(), agentId: 'agent_2', agentVersion: 1, agentName: 'Bill' }
  return {
    http: createScriptedHttpTools({ x: [createHttpOutcome('1')] }),
    ports: {
      code: { run: async () => ({ ok: true, resultText: '1', durationMs: 1 }) as const },
      mcp: {
        call: async () => ({ ok: true, bodyText: '1', durationMs: 1 }) as const,
        listTools: async () => ({ ok: true, tools: [{ name: 'x', ...NO_ARGUMENTS }], durationMs: 1 }) as const,
      },
      sms: { send: async () => ({ status: 'sent', reason: null }) as const },
      agents: { load: async () => ({ ok: true, agent: other }) as const },
    },
    conversation: { channel: createChannel(kind) },
  }
}

const createRefusalPattern = (kind: ChannelKind) =>
  new RegExp(`^Not available in this channel: this is ${NAMES[kind]}; .* here\\.$`)

describe('tools', () => {
  const CALENDAR = { cal_api_key: 'k', event_type_id: 1 }
  const VARIABLE = { type: 'string', name: 'city', description: 'Where.' } as const
  const TOOLS: Readonly<Record<string, object>> = {
    end_call: {},
    transfer_call: { transfer_destination: NUMBER, transfer_option: { type: 'cold_transfer' } },
    agent_swap: { agent_id: 'agent_2' },
    press_digit: {},
    send_sms: { sms_content: { type: 'predefined', text: 'Hi' } },
    custom: { url: 'https://example.com' },
    code: { code: 'return 1' },
    extract_dynamic_variable: { variables: [VARIABLE] },
    bridge_transfer: {},
    cancel_transfer: {},
    mcp: { mcp_id: 'crm' },
    check_availability_cal: CALENDAR,
    book_appointment_cal: CALENDAR,
  }
  const types = Tool.options.map(({ shape }) => shape.type.value)
  const cases = types.flatMap((type) => KINDS.map((kind, index) => [type, kind, index] as const))

  async function runTool(type: string, kind: ChannelKind): Promise<Outcome> {
    const tool = Tool.parse({ type, name: 'x', ...TOOLS[type] })
    const main = createScriptedModel([callTools(['x', {}]), replyWith('Done.')])
    const events = await runScenario({
      ...createSuccessfulPorts(kind),
      models: { main },
      engine: { tools: [tool], mcps: [MCP] },
    })
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
    const [offered] = main.requests[0]?.tools ?? []
    if (offered === undefined) return 'not offered'
    const [result] = selectEvents(events, 'tool-result')
    if (result?.ok === true) return 'yes'
    expect(result?.content).toMatch(createRefusalPattern(kind))
    return 'no'
  }

  test.each(cases)('%s in a conversation of kind %s', async (type, kind, index) => {
    expect(await runTool(type, kind)).toBe(documented.tools.get(type)?.[index])
  })

  test('listed in the guide exist', () => {
    expect([...documented.tools.keys()].sort()).toEqual([...types].sort())
  })
})

describe('nodes', () => {
  const text = { type: 'static_text', text: 'Hi' }
  const NODES: Readonly<Record<string, object>> = {
    conversation: { instruction: text },
    subagent: { instruction: { type: 'prompt', text: 'Help.' } },
    function: { tool_id: 'x' },
    code: { code: 'return 1' },
    transfer_call: { transfer_destination: NUMBER, edge: createFixedEdge('failed', 'after') },
    agent_swap: { agent_id: 'agent_2' },
    press_digit: { else_edge: createFixedEdge('failed', 'after') },
    branch: { else_edge: createFixedEdge('else', 'after') },
    sms: { instruction: text, success_edge: createFixedEdge('sent', 'after') },
    extract_dynamic_variables: { variables: [{ type: 'string', name: 'city', description: 'Where.' }] },
    mcp: { mcp_id: 'crm', mcp_tool_name: 'x' },
    component: { component_id: 'c', else_edge: createFixedEdge('else', 'after') },
    end: { instruction: text },
    bridge_transfer: { edges: [createPromptEdge('failed', 'not connected', 'after')] },
    cancel_transfer: { edges: [createPromptEdge('failed', 'not cancelled', 'after')] },
  }
  const types = FlowNode.options.map(({ shape }) => shape.type.value)
  const cases = types.flatMap((type) => KINDS.map((kind, index) => [type, kind, index] as const))
  const after = createStaticNode('after', 'After.')

  async function runNode(type: FlowNodeType, kind: ChannelKind): Promise<Outcome> {
    const node = FlowNode.parse({ id: 'n', type, ...NODES[type] })
    const components = { c: createGraph([createStaticNode('inner', 'Inside.')]) }
    const graph = createFlow([node, after], { tools: [CUSTOM], mcps: [MCP], components })
    const main = createScriptedModel([replyWith('One.'), replyWith('Two.'), replyWith('Three.')])
    const events = await runScenario({ ...createSuccessfulPorts(kind), models: { main }, graph })
    expect(events.at(-1)).toMatchObject({ outcome: 'completed' })
    const explanations = selectEvents(events, 'explanation').map(({ explanation }) => explanation)
    const skipped = explanations.find((explanation) => explanation.type === 'skipped')
    if (skipped?.type !== 'skipped') return 'yes'
    expect(skipped.reason).toMatch(createRefusalPattern(kind))
    expect(listDecisions(events)).toEqual([expect.stringContaining('failed')])
    return 'no'
  }

  test.each(cases)('%s in a conversation of kind %s', async (type, kind, index) => {
    expect(await runNode(type, kind)).toBe(documented.nodes.get(type)?.[index])
  })

  test('listed in the guide exist', () => {
    expect([...documented.nodes.keys()].sort()).toEqual([...types].sort())
  })

  test('tell the router why they failed', async () => {
    const main = createScriptedModel([chooseTransition('e1')])
    const edges = [createPromptEdge('p', 'The menu answered.', 'after')]
    const graph = createFlow([
      { id: 'n', type: 'press_digit', edges, else_edge: createFixedEdge('failed', 'after') },
      after,
    ])
    await runScenario({ ...createSuccessfulPorts('web_call'), models: { main }, graph })
    expect(main.requests[0]?.messages[0]?.content).toContain(
      getChannelRefusal(createChannel('web_call'), 'press_digit'),
    )
  })
})

describe('a driver with more capabilities', () => {
  const PRESS = { type: 'press_digit', name: 'press' } as const
  const channel = createChannel('phone_call', { dtmf: true })

  test('adds the capability to the channel', () => {
    expect(channel).toEqual({
      kind: 'phone_call',
      capabilities: { transfer: false, completeTransfer: false, dtmf: true },
    })
    expect(getChannelRefusal(channel, 'press_digit')).toBeNull()
    expect(getChannelRefusal(channel, 'transfer_call')).not.toBeNull()
  })

  test('validates arguments and does not claim actions that nothing performs', async () => {
    const main = createScriptedModel([
      callTools(['press', {}]),
      callTools(['press', { digits: '1' }]),
      replyWith('Sorry.'),
    ])
    const events = await runScenario({ models: { main }, engine: { tools: [PRESS] }, conversation: { channel } })
    const [invalid, valid] = selectEvents(events, 'tool-result')
    expect(invalid?.content).toContain('digits')
    expect(valid).toMatchObject({ ok: false, content: NOT_IMPLEMENTED })
  })
})

test('a mock replaces a tool that the channel refuses, with its requested arguments', async () => {
  const PRESS = { type: 'press_digit', name: 'press' } as const
  const mock = { toolName: 'press', args: { digits: '2' }, output: 'Pressed.', ok: true }
  const conversation = { toolMocks: [mock] }
  const main = createScriptedModel([
    callTools(['press', { digits: '2' }], ['press', { digits: '3' }]),
    replyWith('Done.'),
  ])
  const events = await runScenario({ models: { main }, engine: { tools: [PRESS] }, conversation })
  expect(selectEvents(events, 'tool-result')).toMatchObject([
    { ok: true, content: 'Pressed.' },
    { ok: false, content: expect.stringMatching(createRefusalPattern('chat')) },
  ])
  const node: FlowNode = {
    id: 'n',
    type: 'function',
    tool_id: 'press',
    edges: [createPromptEdge('p', 'pressed', 'after')],
  }
  const flowModel = createScriptedModel([callTools(['press', { digits: '2' }])])
  const graph = createFlow([node, createStaticNode('after', 'After.')], { tools: [PRESS] })
  const inFlow = await runScenario({ models: { main: flowModel }, graph, conversation })
  flowModel.assertConsumed()
  expect(selectEvents(inFlow, 'tool-result')).toMatchObject([{ ok: true, content: 'Pressed.' }])
})
