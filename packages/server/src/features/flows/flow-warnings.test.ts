import { describe, expect, test } from 'vitest'
import { modelWarnings } from '../../kernel/model-directory.ts'
import type { ComponentOutline, DialogGraph } from './dialog-graph.ts'
import { graphWarnings, modelsOf, shorten } from './flow-warnings.ts'
import { parseNodes, says, to } from './flows-test-kit.ts'
import { undefinedVariables } from './undefined-variables.ts'

const graph = (nodes: readonly object[], tools: DialogGraph['tools'] = []) => {
  return { start_node_id: 'a', nodes: parseNodes(nodes), tools, global_prompt: '' }
}
const outline = (variables: readonly string[] = []): ComponentOutline => ({ variables, componentIds: [] })
const tool = { type: 'end_call', name: 'bye', tool_id: 'tool-1' } as const

describe('warnings of a graph', () => {
  test('there are none for one that is complete', () => {
    const nodes = [
      says('a', 'b'),
      { id: 'b', type: 'function', tool_id: 'tool-1', edges: [to('c')] },
      { id: 'c', type: 'component', component_id: 'flow_component_1', else_edge: { destination_node_id: 'd' } },
      { id: 'd', type: 'subagent', instruction: { type: 'prompt', text: 'Help.' }, tool_ids: ['bye'] },
      { id: 'help', type: 'end', global_node_setting: { condition: 'Stop' } },
    ]
    expect(graphWarnings(graph(nodes, [tool]), new Map([['flow_component_1', outline()]]))).toEqual([])
  })

  test('nodes that nothing leads to are named', () => {
    const nodes = [says('a', 'b'), says('b'), says('c', 'd'), says('d', 'a'), { id: 'e', type: 'end' }]
    expect(graphWarnings(graph(nodes), new Map())).toEqual(['No edge leads to "c", "d", "e".'])
  })

  const lacking: [object, RegExp][] = [
    [{ type: 'conversation' }, /no "instruction"/],
    [{ type: 'subagent', instruction: { type: 'prompt', text: '' }, tool_ids: ['x'] }, /the tool "x", which is not/],
    [{ type: 'function' }, /no "tool_id"/],
    [{ type: 'function', tool_id: 'x' }, /the tool "x"/],
    [{ type: 'code' }, /no "code"/],
    [{ type: 'transfer_call' }, /no "transfer_destination"/],
    [{ type: 'agent_swap' }, /no "agent_id"/],
    [{ type: 'press_digit' }, /no "instruction"/],
    [{ type: 'sms' }, /no "instruction"/],
    [{ type: 'extract_dynamic_variables' }, /no "variables"/],
    [{ type: 'mcp', mcp_id: 'm' }, /MCP server and tool/],
    [{ type: 'component' }, /no "component_id"/],
    [{ type: 'component', component_id: 'x' }, /the component "x"/],
    [{ type: 'component', component_id: 'x', component_type: 'local' }, /local component/],
    [{ type: 'end', edges: [to(undefined)] }, /leads nowhere with "edges\[0\]"/],
  ]
  test.each(lacking)('%j', (fields, sentence) => {
    const warnings = graphWarnings(graph([{ id: 'a', ...fields }]), new Map())
    expect(warnings).toEqual([expect.stringMatching(sentence)])
    expect(warnings[0]).toMatch(/^Node "a" .*\.$/)
  })
})

test('models that nobody serves are named once each', () => {
  const models = { resolve: (name: string) => (name === 'offline' ? {} : null), configured: () => ['offline'] }
  const choice = { model_choice: { type: 'cascading', model: 'acme/large' } }
  const names = [
    'offline',
    ...modelsOf(
      parseNodes([
        { ...says('a'), ...choice },
        { ...says('b'), ...choice },
      ]),
    ),
  ]
  expect(modelWarnings(models, names)).toEqual([expect.stringContaining('"acme/large"')])
})

describe('variables', () => {
  const find = (nodes: readonly object[], fields: { global_prompt?: string; tools?: DialogGraph['tools'] } = {}) => {
    const components = new Map([['c', outline(['by_component'])]])
    return undefinedVariables({ ...graph(nodes), ...fields }, { defaults: { by_default: '' }, components })
  }
  const asks = (id: string, text: string) => ({ id, type: 'conversation', instruction: { type: 'prompt', text } })
  const when = (condition: object) => ({
    ...says('a'),
    edges: [{ transition_condition: { type: 'equation', ...condition } }],
  })

  test('that something sets are defined', () => {
    const nodes = [
      asks('a', '{{by_default}} {{by_default.part}} {{ by_component }} {{found}} {{answer[0]}} {{by_tool}} {{asked}}'),
      { id: 'b', type: 'extract_dynamic_variables', variables: [{ type: 'number', name: 'found', description: '' }] },
      { id: 'c', type: 'code', code: 'return {{a: 1}}', response_variables: { answer: '$' } },
      { id: 'd', type: 'subagent', tools: [extracting] },
      asks('e', '{{current_time}} {{current_time_{{by_default}}}} {{current_hour_Europe/Rome}} {{call_id}}'),
    ]
    expect(find(nodes, { tools: [custom] })).toEqual([])
  })

  test('that nothing sets are named in order of appearance, once', () => {
    const nodes = [
      asks('a', 'Dear {{name}} of {{city}}, {{name}}'),
      asks('b', '{{current_time_{{zone}}}} {{x | y}} {{{json}}}'),
    ]
    expect(find(nodes, { global_prompt: '{{first}}' })).toEqual(['first', 'name', 'city', 'zone', 'json'])
  })

  test('count in equations of both forms, unless it is only asked whether they exist', () => {
    const equations = [
      { left: 'age', operator: '>', right: '{{limit}}' },
      { left: '{{maybe}}', operator: 'exists' },
    ]
    expect(find([when({ equations })])).toEqual(['age', 'limit'])
    expect(find([when({ prompt: 'maybe not_exist && city == Rome' })])).toEqual(['city'])
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

test('many warnings are counted instead of told', () => {
  expect(shorten(['a', 'b'])).toEqual(['a', 'b'])
  const told = shorten(Array.from({ length: 60 }, (_, index) => `Warning ${index}.`))
  expect(told).toHaveLength(51)
  expect(told.at(-1)).toBe('There are 10 more warnings.')
})
