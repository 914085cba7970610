import { EDGE_FIELDS, FlowNode } from '@parley/contract/flow-node'
import { expect, test } from 'vitest'
import { findWarningPath, isUnreachable, listGraphs } from './flow-outline.ts'

const buildPromptCondition = (text: string) => ({ type: 'prompt', prompt: text })
const document = {
  start_node_id: 'b',
  nodes: [
    { id: 'a', name: 'Ask', type: 'conversation', instruction: { type: 'prompt', text: 'Ask it.' } },
    'no node',
    {
      id: 'b',
      type: 'branch',
      global_node_setting: { condition: 'help' },
      edges: [
        { transition_condition: buildPromptCondition('The user says yes'), destination_node_id: 'a' },
        {
          transition_condition: {
            type: 'equation',
            operator: '||',
            equations: [
              { left: 'age', operator: '>', right: 5 },
              { left: 'vip', operator: 'exists' },
            ],
          },
          destination_node_id: 'gone',
        },
      ],
      else_edge: {},
    },
    { id: 'c', type: 'extract_dynamic_variables', variables: [{ name: 'x' }, { name: 'y' }], else_edge: {} },
  ],
  components: [{ name: 'Pay "now"', nodes: [{ id: 'a', type: 'end' }] }],
}

test('skips unexpected list items in a graph', () => {
  const [graph, component] = listGraphs(document)
  expect(graph?.nodes.map(({ id, path, isStart, isGlobal }) => [id, path, isStart, isGlobal])).toEqual([
    ['a', 'nodes[0]', false, false],
    ['b', 'nodes[2]', true, true],
    ['c', 'nodes[3]', false, false],
  ])
  expect(graph?.nodes.map(({ text }) => text)).toEqual(['Ask it.', '', 'x, y'])
  expect(graph?.nodes[1]?.edges).toEqual([
    {
      path: 'nodes[2].edges[0]',
      implicitCondition: null,
      condition: 'The user says yes',
      destination: 'a',
      hasKnownDestination: true,
    },
    {
      path: 'nodes[2].edges[1]',
      implicitCondition: null,
      condition: 'age > 5 || vip exists',
      destination: 'gone',
      hasKnownDestination: false,
    },
    {
      path: 'nodes[2].else_edge',
      implicitCondition: 'otherwise',
      condition: '',
      destination: null,
      hasKnownDestination: false,
    },
  ])
  expect(graph?.nodes[2]?.edges[0]?.implicitCondition).toBe('always')
  expect(component).toMatchObject({ name: 'Pay "now"', nodes: [{ path: 'components[0].nodes[0]', isStart: true }] })
})

test('lists the type and all edges of every node type', () => {
  for (const { shape } of FlowNode.options) {
    const fields = EDGE_FIELDS.filter((field) => field in shape)
    const node = { id: 'n', type: shape.type.value, ...Object.fromEntries(fields.map((field) => [field, {}])) }
    const outlinedNode = listGraphs({ nodes: [node] })[0]?.nodes[0]
    expect(outlinedNode?.type).not.toBe(node.type)
    expect(outlinedNode?.edges.map(({ path }) => path).sort()).toEqual(
      fields.map((field) => `nodes[0].${field}`).sort(),
    )
  }
})

test('returns no nodes for a document that is not a flow', () => {
  expect(listGraphs({})).toEqual([{ name: null, nodes: [] }])
  expect(listGraphs({ nodes: 7, components: [3] })).toEqual([{ name: null, nodes: [] }])
})

test('finds the node that a server warning names', () => {
  expect(findWarningPath(document, 'No edge leads to "b".')).toBe('nodes[2]')
  expect(findWarningPath(document, 'Node "b" has no destination for "else_edge".')).toBe('nodes[2].else_edge')
  expect(findWarningPath(document, 'Node "a" has no "tool_id", so it runs nothing.')).toBe('nodes[0]')
  expect(findWarningPath(document, 'The tool list has no server.')).toBe('tools')
  expect(findWarningPath(document, 'In component "Pay "now"": No edge leads to "a".')).toBe('components[0].nodes[0]')
  expect(findWarningPath(document, 'Nothing in the flow sets "x".')).toBeNull()
  expect(findWarningPath(document, 'No edge leads to "elsewhere".')).toBeNull()
})

test('finds nodes without incoming edges in each graph', () => {
  const [graph, component] = listGraphs(document)
  const warnings = ['In component "Pay "now"": No edge leads to "a".']
  expect(graph && isUnreachable(warnings, graph, 'a')).toBe(false)
  expect(component && isUnreachable(warnings, component, 'a')).toBe(true)
})
