import { EDGE_FIELDS, FlowNode } from '@parley/contract/flow-node'
import { expect, test } from 'vitest'
import { findWarningPath, isUnreachable, listGraphs } from './flow-outline.ts'

const prompt = (text: string) => ({ type: 'prompt', prompt: text })
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
        { transition_condition: prompt('The user says yes'), destination_node_id: 'a' },
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

test('outlines a graph with unexpected list items', () => {
  const [graph, component] = listGraphs(document)
  expect(graph?.nodes.map(({ id, path, isStart, isGlobal }) => [id, path, isStart, isGlobal])).toEqual([
    ['a', 'nodes[0]', false, false],
    ['b', 'nodes[2]', true, true],
    ['c', 'nodes[3]', false, false],
  ])
  expect(graph?.nodes.map(({ text }) => text)).toEqual(['Ask it.', '', 'x, y'])
  expect(graph?.nodes[1]?.edges).toEqual([
    { path: 'nodes[2].edges[0]', place: null, condition: 'The user says yes', destination: 'a', isKnown: true },
    { path: 'nodes[2].edges[1]', place: null, condition: 'age > 5 || vip exists', destination: 'gone', isKnown: false },
    { path: 'nodes[2].else_edge', place: 'otherwise', condition: '', destination: null, isKnown: false },
  ])
  expect(graph?.nodes[2]?.edges[0]?.place).toBe('always')
  expect(component).toMatchObject({ name: 'Pay "now"', nodes: [{ path: 'components[0].nodes[0]', isStart: true }] })
})

test('every node type has a name, and all its edges are shown', () => {
  for (const { shape } of FlowNode.options) {
    const fields = EDGE_FIELDS.filter((field) => field in shape)
    const node = { id: 'n', type: shape.type.value, ...Object.fromEntries(fields.map((field) => [field, {}])) }
    const outlined = listGraphs({ nodes: [node] })[0]?.nodes[0]
    expect(outlined?.type).not.toBe(node.type)
    expect(outlined?.edges.map(({ path }) => path).sort()).toEqual(fields.map((field) => `nodes[0].${field}`).sort())
  }
})

test('a document that is not a flow has no nodes', () => {
  expect(listGraphs({})).toEqual([{ name: null, nodes: [] }])
  expect(listGraphs({ nodes: 7, components: [3] })).toEqual([{ name: null, nodes: [] }])
})

test('warnings of the server lead to the named node', () => {
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
