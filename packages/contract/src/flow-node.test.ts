import { describe, expect, test } from 'vitest'
import { FlowNode, FlowNodePatch, findElseEdge, listEdges, nodeHasField } from './flow-node.ts'
import { FlowToolList } from './flow-tool.ts'

const edge = { id: 'e1', transition_condition: { type: 'prompt', prompt: 'Done' }, destination_node_id: 'b' }
const fixed = { id: 'e2', destination_node_id: 'b' }
const swap = { type: 'agent_swap', name: 'swap', agent_id: 'agent_1', tool_id: 'tool-1' }
const common = {
  name: 'Hello',
  display_position: { x: 1.5, y: -2 },
  instruction: { type: 'prompt', text: 'Greet {{name}}.' },
  edges: [edge],
  model_choice: { type: 'cascading', model: 'acme/large' },
  global_node_setting: {
    condition: 'The user wants a person.',
    cool_down: 2,
    go_back_conditions: [{ id: 'g', transition_condition: { type: 'prompt', prompt: 'Never mind' } }],
    positive_finetune_examples: [{ transcript: [{ role: 'user', content: 'A person, please' }] }],
    negative_finetune_examples: [],
  },
}
const example = {
  id: 'x',
  destination_node_id: 'b',
  transcript: [
    { role: 'agent', content: 'Hi' },
    { role: 'tool_call_invocation', tool_call_id: 't', name: 'look_up', arguments: '{}' },
    { role: 'tool_call_result', tool_call_id: 't', content: 'ok' },
  ],
}
const speech = {
  else_edge: fixed,
  always_edge: { ...fixed, transition_condition: { type: 'prompt', prompt: 'Always' } },
  skip_response_edge: fixed,
  interruption_sensitivity: 'low',
  responsiveness: '0.5',
  voice_speed: 1.2,
  stt_mode: 'custom',
  custom_stt_config: { endpointing_ms: 500 },
  allow_dtmf_interruption: true,
  reminder_trigger_ms: 5_000,
  reminder_max_count: 0,
  knowledge_base_ids: ['knowledge_base_1'],
  kb_config: { top_k: 3, filter_score: 0.5 },
  finetune_conversation_examples: [example],
  finetune_transition_examples: [example],
}
const agentic = { type: 'agentic_warm_transfer', agentic_transfer_config: { transfer_agent: { agent_id: 'agent_1' } } }

describe('accepted nodes are returned unchanged', () => {
  const nodes: [string, object][] = [
    ['conversation', speech],
    ['subagent', { ...speech, tools: [swap], tool_ids: ['tool-1'] }],
    [
      'function',
      { tool_id: 't', tool_type: 'local', wait_for_result: true, enable_typing_sound: true, else_edge: fixed },
    ],
    ['code', { code: 'return 1', response_variables: { a: '$.a' }, timeout_ms: 5_000, wait_for_result: false }],
    [
      'transfer_call',
      {
        transfer_destination: { type: 'predefined', number: '+14155550100' },
        transfer_option: agentic,
        custom_sip_headers: { 'X-A': 'b' },
        edge: fixed,
      },
    ],
    ['transfer_call', { transfer_option: { type: 'cold_transfer' } }],
    ['agent_swap', { agent_id: 'agent_1', agent_version: 2, keep_current_voice: true, webhook_setting: 'both_agents' }],
    ['press_digit', { delay_ms: 500, else_edge: fixed }],
    ['branch', { else_edge: fixed }],
    [
      'sms',
      { instruction: { type: 'template', template: 'info_collection' }, success_edge: fixed, failed_edge: fixed },
    ],
    ['extract_dynamic_variables', { variables: [{ type: 'string', name: 'city', description: 'City' }] }],
    ['mcp', { mcp_id: 'm', mcp_tool_name: 'find', response_variables: { a: '$.a' } }],
    ['component', { component_id: 'flow_component_1', component_type: 'shared', else_edge: fixed }],
    ['end', { speak_during_execution: true }],
    ['bridge_transfer', {}],
    ['cancel_transfer', {}],
  ]
  test.each(nodes)('%s', (type, fields) => {
    for (const node of [
      { id: 'a', type },
      { id: 'a', type, ...common, ...fields },
    ]) {
      expect(FlowNode.parse(node)).toEqual(node)
      expect(FlowNodePatch.parse(node)).toEqual(node)
    }
  })
})

test('the ID of an edge is optional', () => {
  const { id: _, ...rest } = edge
  const parsed = FlowNode.parse({ id: 'a', type: 'branch', edges: [rest], else_edge: { destination_node_id: 'b' } })
  expect(parsed).toMatchObject({ edges: [{ ...rest, id: '' }], else_edge: { id: '' } })
})

describe('refused nodes', () => {
  const equation = (condition: object) => [{ ...edge, transition_condition: { type: 'equation', ...condition } }]
  const end = { id: 'a', type: 'end' }
  const refused: [string, object, string[]][] = [
    ['a missing ID', { type: 'end' }, ['id']],
    ['a long ID', { ...end, id: 'x'.repeat(101) }, ['id']],
    ['an unknown type', { id: 'a', type: 'dance' }, ['type']],
    ['an unknown type of instruction', { ...end, instruction: { type: 'song', text: '' } }, ['instruction.type']],
    ['101 edges', { ...end, edges: Array(101).fill(edge) }, ['edges']],
    ['an edge without a condition', { ...end, edges: [fixed] }, ['edges.0.transition_condition']],
    [
      'a comparison without a right side',
      { ...end, edges: equation({ equations: [{ left: 'a', operator: '==' }] }) },
      ['edges.0.transition_condition.equations.0.right'],
    ],
    [
      'an unknown operator',
      { ...end, edges: equation({ equations: [{ left: 'a', operator: '~', right: '1' }] }) },
      ['edges.0.transition_condition.equations.0.operator'],
    ],
    [
      'duplicate variable names',
      {
        id: 'a',
        type: 'extract_dynamic_variables',
        variables: Array(2).fill({ type: 'number', name: 'n', description: '' }),
      },
      ['variables.1.name'],
    ],
  ]
  test.each(refused)('%s', (_, node, paths) => {
    expect(FlowNode.safeParse(node).error?.issues.map(({ path }) => path.join('.'))).toEqual(paths)
  })

  test('duplicate tool names and IDs in a list', () => {
    const twice = FlowToolList.safeParse([swap, swap, { ...swap, name: 'other' }])
    expect(twice.error?.issues.map(({ path }) => path.join('.'))).toEqual(['1.name', '1.tool_id', '2.tool_id'])
  })
})

test('a patch needs only the ID and clears fields with null', () => {
  expect(FlowNodePatch.parse({ id: 'a' })).toEqual({ id: 'a' })
  expect(FlowNodePatch.parse({ id: 'a', else_edge: null, name: null })).toEqual({
    id: 'a',
    else_edge: null,
    name: null,
  })
  expect(FlowNodePatch.safeParse({ id: 'a', type: null }).success).toBe(false)
})

test('node types have different fields', () => {
  expect(nodeHasField('end', 'instruction')).toBe(true)
  expect(nodeHasField('end', 'code')).toBe(false)
})

test('edges have paths, and a branch can list its fallback edge', () => {
  const node = FlowNode.parse({ id: 'a', type: 'sms', edges: [edge], failed_edge: fixed })
  expect(listEdges(node).map(({ path }) => path)).toEqual(['edges[0]', 'failed_edge'])
  const elseCondition = { ...edge, transition_condition: { type: 'prompt', prompt: ' Else ' } }
  expect(findElseEdge(FlowNode.parse({ id: 'a', type: 'branch', edges: [edge, elseCondition] }))).toEqual(elseCondition)
  expect(findElseEdge(FlowNode.parse({ id: 'a', type: 'branch', edges: [elseCondition], else_edge: fixed }))).toEqual(
    fixed,
  )
  expect(findElseEdge(FlowNode.parse({ id: 'a', type: 'branch', edges: [edge] }))).toBeUndefined()
})
