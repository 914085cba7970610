import { describe, expect, test } from 'vitest'
import { branch, graph, says, to } from './flow-problems-test-kit.ts'
import { graphErrors } from './graph-errors.ts'

const pathsOf = (nodes: readonly object[], start_node_id = 'a') =>
  graphErrors(graph(nodes, { start_node_id })).map(({ path }) => path)

describe('graphs that can be stored', () => {
  const validGraphs: [string, object[]][] = [
    ['a single node', [says('a')]],
    ['a cycle of nodes that speak', [says('a', 'b'), says('b', 'a')]],
    ['a cycle of branches with a node that speaks', [branch('a', 'b'), says('b', 'c'), branch('c', 'a')]],
    ['branches that meet again', [branch('a', 'b', 'c'), branch('b', 'd'), branch('c', 'd'), says('d')]],
    ['a branch whose fallback edge is listed', [{ id: 'a', type: 'branch', edges: [to('b', 'Else')] }, says('b')]],
    ['edges without a destination', [{ id: 'a', type: 'end', edges: [to(undefined)] }]],
    ['the same edge ID in two nodes', ['a', 'b'].map((id) => ({ id, type: 'end', edges: [{ ...to('a'), id: 'e' }] }))],
  ]
  test.each(validGraphs)('%s', (_, nodes) => {
    expect(pathsOf(nodes)).toEqual([])
  })
})

describe('graphs that are refused', () => {
  const fixed = { destination_node_id: 'x' }
  const when = (equation: object, destination: string) => ({
    transition_condition: { type: 'equation', ...equation },
    destination_node_id: destination,
  })
  const refused: [string, object[], string[]][] = [
    ['no nodes', [], ['nodes']],
    ['no start node', [says('b')], ['start_node_id']],
    ['a duplicate node ID', [says('a'), says('b'), says('a')], ['nodes[2].id']],
    [
      'edges to unknown nodes',
      [
        { ...says('a', 'a', 'x'), else_edge: fixed, always_edge: fixed, skip_response_edge: fixed },
        { id: 'b', type: 'sms', success_edge: fixed, failed_edge: fixed },
        { id: 'c', type: 'agent_swap', edge: fixed },
      ],
      [
        'nodes[0].edges[1].destination_node_id',
        'nodes[0].else_edge.destination_node_id',
        'nodes[0].always_edge.destination_node_id',
        'nodes[0].skip_response_edge.destination_node_id',
        'nodes[1].success_edge.destination_node_id',
        'nodes[1].failed_edge.destination_node_id',
        'nodes[2].edge.destination_node_id',
      ],
    ],
    [
      'a branch without a fallback edge',
      [{ id: 'a', type: 'branch', edges: [to('a2')] }, says('a2')],
      ['nodes[0].else_edge'],
    ],
    ['a branch that leads to itself', [branch('a', 'a')], ['nodes[0].else_edge.destination_node_id']],
    [
      'a cycle of branches',
      [says('a', 'b'), branch('b', 'a', 'c'), branch('c', 'd'), branch('d', 'a', 'b')],
      ['nodes[3].edges[0].destination_node_id'],
    ],
    [
      'a duplicate edge ID in a node',
      [{ id: 'a', type: 'conversation', edges: [{ ...to('a'), id: 'e' }], else_edge: { id: 'e' } }],
      ['nodes[0].else_edge.id'],
    ],
    [
      'invalid equations, together with all other problems',
      [
        { id: 'a', type: 'end', edges: [when({ prompt: 'hm' }, 'x'), when({}, 'a')] },
        { id: 'a', type: 'branch' },
      ],
      [
        'nodes[0].edges[0].destination_node_id',
        'nodes[0].edges[0].transition_condition.prompt',
        'nodes[0].edges[1].transition_condition.equations',
        'nodes[1].id',
        'nodes[1].else_edge',
      ],
    ],
    [
      'an invalid equation in a go-back condition',
      [
        {
          ...says('a'),
          global_node_setting: {
            condition: 'Help',
            go_back_conditions: [{ transition_condition: { type: 'equation', prompt: 'age >' } }],
          },
        },
      ],
      ['nodes[0].global_node_setting.go_back_conditions[0].transition_condition.prompt'],
    ],
    ['501 nodes', [says('a'), ...Array.from({ length: 500 }, (_, index) => says(`n${index}`))], ['nodes']],
  ]
  test.each(refused)('%s', (_, nodes, paths) => {
    expect(pathsOf(nodes)).toEqual(paths)
  })

  test('paths refer to the request and stored nodes are named', () => {
    const problems = graphErrors(graph([says('a', 'x'), says('b', 'x')]), (_index, id) => (id === 'b' ? 0 : null))
    expect(problems).toEqual([
      { path: 'nodes', message: expect.stringContaining('"edges[0].destination_node_id" of the stored node "a"') },
      { path: 'nodes[0].edges[0].destination_node_id', message: 'must be the ID of a node: there is no node "x"' },
    ])
  })
})

test('checks a chain of 500 branches', () => {
  const chain = Array.from({ length: 500 }, (_, index) => branch(`n${index}`, `n${(index + 1) % 500}`))
  expect(pathsOf(chain, 'n0')).toEqual(['nodes[499].else_edge.destination_node_id'])
})
