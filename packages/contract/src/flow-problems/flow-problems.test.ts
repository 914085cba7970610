import { describe, expect, test } from 'vitest'
import type { ComponentOutlines, DialogGraph } from './dialog-graph.ts'
import { findComponentProblems, findFlowProblems } from './flow-problems.ts'
import { branchNode, componentNode, edgeTo, parseFlow, parseGraph, speakingNode } from './flow-problems-test-kit.ts'

const tool = { type: 'end_call', name: 'bye', tool_id: 'tool-1' } as const
const mcpTool = { type: 'mcp', name: 'find', mcp_id: 'shop' } as const
const shop = { mcp_id: 'shop', name: 'Shop', url: 'https://shop.example/mcp' }
const noComponents: ComponentOutlines = new Map()
const createOutlines = (
  ids: Readonly<Record<string, readonly string[]>>,
  variables: readonly string[] = [],
): ComponentOutlines =>
  new Map(Object.entries(ids).map(([id, componentIds]) => [id, { variables, componentIds, canPassSilently: false }]))

const findErrors = (nodes: readonly object[], fields: object = {}) =>
  findFlowProblems(parseFlow(nodes, fields), { shared: noComponents }).errors.map(({ path }) => path)
const findWarnings = (nodes: readonly object[], fields: object = {}, shared: ComponentOutlines | null = noComponents) =>
  findFlowProblems(parseFlow(nodes, fields), { shared }).warnings

describe('flow warnings', () => {
  test('are empty for a complete flow', () => {
    const nodes = [
      speakingNode('a', 'b'),
      { id: 'b', type: 'function', tool_id: 'tool-1', edges: [edgeTo('c')] },
      componentNode('c', 'flow_component_1', { else_edge: { destination_node_id: 'd' } }),
      {
        ...speakingNode('d', 'e'),
        type: 'subagent',
        tool_ids: ['bye'],
        tools: [{ ...mcpTool, name: 'search' }],
      },
      { id: 'e', type: 'mcp', mcp_id: 'shop', mcp_tool_name: 'find', edges: [edgeTo('f')] },
      componentNode('f', 'Greeting', { component_type: 'local', edges: [edgeTo('a')] }),
      { id: 'help', type: 'end', global_node_setting: { condition: 'Stop' } },
    ]
    const components = [
      { name: 'Greeting', nodes: [speakingNode('x', 'y'), { id: 'y', type: 'branch', else_edge: {} }] },
    ]
    const fields = { tools: [tool, mcpTool], mcps: [shop], components }
    expect(findWarnings(nodes, fields, createOutlines({ flow_component_1: [] }))).toEqual([])
  })

  test('name each unreachable node', () => {
    const nodes = [speakingNode('a', 'b'), speakingNode('b'), speakingNode('c', 'd'), speakingNode('d', 'a')]
    expect(findWarnings(nodes)).toEqual([
      { path: 'nodes[2]', message: 'No edge leads to "c".' },
      { path: 'nodes[3]', message: 'No edge leads to "d".' },
    ])
  })

  const instruction = { type: 'prompt', text: '' }
  const incomplete: [object, string, RegExp][] = [
    [{ type: 'conversation' }, 'instruction', /no "instruction"/],
    [{ type: 'subagent', instruction, tool_ids: ['x'] }, 'tool_ids[0]', /the tool "x", which does not exist/],
    [
      { type: 'subagent', instruction, tools: [mcpTool] },
      'tools[0].mcp_id',
      /the MCP server "shop", which does not exist/,
    ],
    [{ type: 'function' }, 'tool_id', /no "tool_id"/],
    [{ type: 'function', tool_id: 'x' }, 'tool_id', /the tool "x"/],
    [{ type: 'code' }, 'code', /no "code"/],
    [{ type: 'transfer_call' }, 'transfer_destination', /no "transfer_destination"/],
    [{ type: 'agent_swap' }, 'agent_id', /no "agent_id"/],
    [{ type: 'press_digit' }, 'instruction', /no "instruction"/],
    [{ type: 'sms' }, 'instruction', /no "instruction"/],
    [{ type: 'extract_dynamic_variables' }, 'variables', /no "variables"/],
    [{ type: 'mcp', mcp_id: 'm' }, 'mcp_tool_name', /MCP server and tool/],
    [{ type: 'mcp', mcp_id: 'm', mcp_tool_name: 't' }, 'mcp_id', /the MCP server "m", which does not exist/],
    [{ type: 'component' }, 'component_id', /no "component_id"/],
    [{ type: 'component', component_id: 'x' }, 'component_id', /the component "x"/],
    [{ type: 'component', component_id: 'x', component_type: 'local' }, 'component_id', /the local component "x"/],
    [{ type: 'code', code: '1', edges: [edgeTo(undefined)] }, 'edges[0]', /has no destination for "edges\[0\]"/],
    [{ type: 'code', code: '1', else_edge: {} }, 'else_edge', /has no destination for "else_edge"/],
    [{ type: 'end', edges: [edgeTo('a')] }, 'edges[0]', /its edges are never taken/],
    [
      { type: 'subagent', instruction: { type: 'prompt', text: 'x' }, edges: [edgeTo('a', ' ')] },
      'edges[0].transition_condition.prompt',
      /does not say when to take "edges\[0\]"/,
    ],
  ]
  test.each(incomplete)('%j', (fields, path, sentence) => {
    const warnings = findWarnings([{ id: 'a', ...fields }]).filter(({ message }) => !/has no effect/.test(message))
    expect(warnings).toEqual([{ path: `nodes[0].${path}`, message: expect.stringMatching(sentence) }])
    expect(warnings[0]?.message).toMatch(/^Node "a" .*\.$/)
  })

  test('name a tool of an unknown server with its path', () => {
    expect(findWarnings([speakingNode('a')], { tools: [tool, mcpTool] })).toEqual([
      { path: 'tools[1].mcp_id', message: expect.stringContaining('"find" of the MCP server "shop"') },
    ])
  })

  test('name a blank go-back condition, but not a blank condition without effect', () => {
    const blank = { type: 'prompt', prompt: '' }
    const setting = { condition: 'Help', go_back_conditions: [{ transition_condition: blank }] }
    const always = { transition_condition: blank, destination_node_id: 'a' }
    expect(findWarnings([{ ...speakingNode('a'), global_node_setting: setting, always_edge: always }])).toEqual([
      expect.objectContaining({
        path: 'nodes[0].global_node_setting.go_back_conditions[0].transition_condition.prompt',
      }),
    ])
  })

  test('assume that unknown shared components exist and can set any variable', () => {
    const nodes = [componentNode('a', 'x', { edges: [edgeTo('b')] }), speakingNode('b')]
    expect(findWarnings(nodes, { global_prompt: '{{city}}' }, null)).toEqual([])
    expect(findWarnings([speakingNode('a')], { global_prompt: '{{city}}' }, null)).toHaveLength(1)
  })
})

describe('local components', () => {
  test('are validated like flows, with their own paths', () => {
    const components = [
      { name: 'Sound', nodes: [speakingNode('a')] },
      {
        name: 'Broken',
        start_node_id: 'y',
        nodes: [speakingNode('a', 'x'), { id: 'b', type: 'branch' }, speakingNode('a')],
      },
      { name: 'Circle', nodes: [branchNode('a', 'b'), branchNode('b', 'a')] },
    ]
    expect(findErrors([speakingNode('a', 'z')], { components })).toEqual([
      'nodes[0].edges[0].destination_node_id',
      'components[1].start_node_id',
      'components[1].nodes[0].edges[0].destination_node_id',
      'components[1].nodes[1].else_edge',
      'components[1].nodes[2].id',
      'components[2].nodes[1].else_edge.destination_node_id',
    ])
  })

  test('must not run themselves, directly or through other components', () => {
    const localComponent = { component_type: 'local' }
    const components = [
      { name: 'A', nodes: [speakingNode('s'), componentNode('a', 'b')] },
      { name: 'B', component_id: 'b', nodes: [componentNode('b', 'c', localComponent), componentNode('d', 'd')] },
      { name: 'C', component_id: 'c', nodes: [componentNode('c', 'A', localComponent), componentNode('e', 'b')] },
      {
        name: 'D',
        component_id: 'd',
        nodes: [componentNode('d', 'd'), componentNode('x', 'c', { component_type: 'shared' })],
      },
    ]
    expect(findErrors([componentNode('a', 'A')], { components })).toEqual([
      'components[2].nodes[0].component_id',
      'components[2].nodes[1].component_id',
      'components[3].nodes[0].component_id',
    ])
  })

  test('can be run by several nodes and components', () => {
    const components = [
      { name: 'A', nodes: [componentNode('a', 'B')] },
      { name: 'B', nodes: [componentNode('a', 'C'), componentNode('b', 'C')] },
      { name: 'C', nodes: [speakingNode('a')] },
    ]
    expect(findErrors([componentNode('a', 'A'), componentNode('b', 'B')], { components })).toEqual([])
  })

  test('are named in warnings and have their own tools and servers', () => {
    const components = [
      {
        name: 'Ask',
        tools: [{ ...tool, tool_id: 'own' }],
        nodes: [
          { id: 'x', type: 'function', tool_id: 'own', else_edge: {} },
          { id: 'y', type: 'function', tool_id: 'tool-1', edges: [edgeTo(undefined)] },
          { id: 'z', type: 'mcp', mcp_id: 'shop', mcp_tool_name: 't' },
        ],
      },
    ]
    const { warnings } = findFlowProblems(
      parseFlow([componentNode('a', 'Ask')], { components, tools: [tool], mcps: [shop] }),
      {
        shared: noComponents,
      },
    )
    expect(warnings).toEqual([
      { path: 'components[0].nodes[1]', message: 'In component "Ask": No edge leads to "y".' },
      { path: 'components[0].nodes[2]', message: 'In component "Ask": No edge leads to "z".' },
      {
        path: 'components[0].nodes[1].tool_id',
        message: 'In component "Ask": Node "y" refers to the tool "tool-1", which does not exist.',
      },
      {
        path: 'components[0].nodes[2].mcp_id',
        message: 'In component "Ask": Node "z" refers to the MCP server "shop", which does not exist.',
      },
    ])
  })
})

describe('shared components', () => {
  test('must not lead back to themselves', () => {
    const shared = createOutlines({ b: ['c'], c: ['d', 'own'], d: ['c'], e: ['d'], f: [] })
    const component = parseGraph([
      componentNode('a', 'f'),
      componentNode('b', 'b'),
      componentNode('c', 'own'),
      componentNode('d', 'gone'),
    ])
    const pathsOf = (id: string | null) =>
      findComponentProblems({ ...component, id }, { shared }).errors.map(({ path }) => path)
    expect(pathsOf('own')).toEqual(['nodes[1].component_id', 'nodes[2].component_id'])
    expect(pathsOf(null)).toEqual([])
  })

  test('cannot run local components and can be left by any edge', () => {
    const component = parseGraph([
      { ...speakingNode('a', 'b'), skip_response_edge: {} },
      componentNode('b', 'Ask', { component_type: 'local', else_edge: {} }),
    ])
    expect(findComponentProblems({ ...component, id: null }, { shared: noComponents }).warnings).toEqual([
      {
        path: 'nodes[1].component_id',
        message: expect.stringContaining('local component "Ask", which does not exist'),
      },
    ])
  })
})

describe('variables', () => {
  const find = (nodes: readonly object[], fields: object = {}) =>
    findFlowProblems(parseFlow(nodes, { default_dynamic_variables: { by_default: '' }, ...fields }), {
      shared: createOutlines({ c: [] }, ['by_component']),
    })
      .warnings.filter(({ message }) => message.startsWith('Nothing in the flow sets'))
      .map(({ path, message }) => `${/"(.*)"/.exec(message)?.[1]} at ${path}`)
  const asks = (id: string, text: string) => ({ id, type: 'conversation', instruction: { type: 'prompt', text } })
  const when = (condition: object) => ({
    ...speakingNode('a'),
    edges: [{ transition_condition: { type: 'equation', ...condition } }],
  })

  test('are defined if something sets them', () => {
    const nodes = [
      asks('a', '{{by_default}} {{by_default.part}} {{ by_component }} {{found}} {{answer[0]}} {{by_tool}} {{asked}}'),
      { id: 'b', type: 'extract_dynamic_variables', variables: [{ type: 'number', name: 'found', description: '' }] },
      { id: 'c', type: 'code', code: 'return {{a: 1}}', response_variables: { answer: '$' } },
      { id: 'd', type: 'subagent', tools: [extracting] },
      asks('e', '{{current_time}} {{current_time_{{by_default}}}} {{current_hour_Europe/Rome}} {{call_id}} {{local}}'),
    ]
    const setting = { id: 'x', type: 'mcp', mcp_id: 'm', mcp_tool_name: 't', response_variables: { local: '$' } }
    expect(find(nodes, { tools: [custom], components: [{ name: 'L', nodes: [setting] }] })).toEqual([])
  })

  test('are named once if undefined, in order of appearance, with their first path', () => {
    const nodes = [
      asks('a', 'Dear {{name}} of {{city}}, {{name}}'),
      asks('b', '{{current_time_{{zone}}}} {{x | y}} {{{json}}}'),
    ]
    const fields = {
      global_prompt: '{{first}}',
      mcps: [{ ...shop, headers: { 'X-Shop': '{{branch}}' } }],
      components: [{ name: 'L', nodes: [asks('a', '{{inner}} {{city}}')], notes: [{ id: 'n', content: '{{note}}' }] }],
    }
    expect(find(nodes, fields)).toEqual([
      'first at global_prompt',
      'name at nodes[0].instruction.text',
      'city at nodes[0].instruction.text',
      'zone at nodes[1].instruction.text',
      'json at nodes[1].instruction.text',
      'branch at mcps[0].headers.X-Shop',
      'inner at components[0].nodes[0].instruction.text',
    ])
  })

  test('count in both forms of equations, except where only their existence matters', () => {
    const equations = [
      { left: 'age', operator: '>', right: '{{limit}}' },
      { left: '{{maybe}}', operator: 'exists' },
    ]
    const place = 'nodes[0].edges[0].transition_condition'
    expect(find([when({ equations })])).toEqual([`age at ${place}`, `limit at ${place}`])
    expect(find([when({ prompt: 'maybe not_exist && city == Rome' })])).toEqual([`city at ${place}`])
  })
})

const custom: DialogGraph['tools'][number] = {
  type: 'custom',
  name: 'look_up',
  url: 'https://example.com',
  response_variables: { by_tool: '$.a' },
}
const extracting = {
  type: 'extract_dynamic_variable',
  name: 'extract',
  variables: [{ type: 'string', name: 'asked', description: '' }],
}
