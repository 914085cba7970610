import { describe, expect, test } from 'vitest'
import { branchNode, edgeTo, parseGraph, speakingNode } from './flow-problems-test-kit.ts'
import { findGraphErrors } from './graph-errors.ts'

const findErrorPaths = (nodes: readonly object[], start_node_id = 'a') =>
  findGraphErrors(parseGraph(nodes, { start_node_id })).map(({ path }) => path)

describe('graphs that can be stored', () => {
  const validGraphs: [string, object[]][] = [
    ['a single node', [speakingNode('a')]],
    ['a cycle of nodes that speak', [speakingNode('a', 'b'), speakingNode('b', 'a')]],
    [
      'a cycle of branches with a node that speaks',
      [branchNode('a', 'b'), speakingNode('b', 'c'), branchNode('c', 'a')],
    ],
    [
      'branches that meet again',
      [branchNode('a', 'b', 'c'), branchNode('b', 'd'), branchNode('c', 'd'), speakingNode('d')],
    ],
    [
      'a branch whose fallback edge is listed',
      [{ id: 'a', type: 'branch', edges: [edgeTo('b', 'Else')] }, speakingNode('b')],
    ],
    ['edges without a destination', [{ id: 'a', type: 'end', edges: [edgeTo(undefined)] }]],
    [
      'the same edge ID in two nodes',
      ['a', 'b'].map((id) => ({ id, type: 'end', edges: [{ ...edgeTo('a'), id: 'e' }] })),
    ],
  ]
  test.each(validGraphs)('%s', (_, nodes) => {
    expect(findErrorPaths(nodes)).toEqual([])
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
    ['no start node', [speakingNode('b')], ['start_node_id']],
    ['a duplicate node ID', [speakingNode('a'), speakingNode('b'), speakingNode('a')], ['nodes[2].id']],
    [
      'edges to unknown nodes',
      [
        { ...speakingNode('a', 'a', 'x'), else_edge: fixed, always_edge: fixed, skip_response_edge: fixed },
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
      [{ id: 'a', type: 'branch', edges: [edgeTo('a2')] }, speakingNode('a2')],
      ['nodes[0].else_edge'],
    ],
    ['a branch that leads to itself', [branchNode('a', 'a')], ['nodes[0].else_edge.destination_node_id']],
    [
      'a cycle of branches',
      [speakingNode('a', 'b'), branchNode('b', 'a', 'c'), branchNode('c', 'd'), branchNode('d', 'a', 'b')],
      ['nodes[3].edges[0].destination_node_id'],
    ],
    [
      'a duplicate edge ID in a node',
      [{ id: 'a', type: 'conversation', edges: [{ ...edgeTo('a'), id: 'e' }], else_edge: { id: 'e' } }],
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
          ...speakingNode('a'),
          global_node_setting: {
            condition: 'Help',
            go_back_conditions: [{ transition_condition: { type: 'equation', prompt: 'age >' } }],
          },
        },
      ],
      ['nodes[0].global_node_setting.go_back_conditions[0].transition_condition.prompt'],
    ],
    [
      '501 nodes',
      [speakingNode('a'), ...Array.from({ length: 500 }, (_, index) => speakingNode(`n${index}`))],
      ['nodes'],
    ],
  ]
  test.each(refused)('%s', (_, nodes, paths) => {
    expect(findErrorPaths(nodes)).toEqual(paths)
  })

  test('paths refer to the request and stored nodes are named', () => {
    const problems = findGraphErrors(parseGraph([speakingNode('a', 'x'), speakingNode('b', 'x')]), (_index, id) =>
      id === 'b' ? 0 : null,
    )
    expect(problems).toEqual([
      { path: 'nodes', message: expect.stringContaining('"edges[0].destination_node_id" of the stored node "a"') },
      { path: 'nodes[0].edges[0].destination_node_id', message: 'must be the ID of a node: there is no node "x"' },
    ])
  })
})

test('checks a chain of 500 branches', () => {
  const chain = Array.from({ length: 500 }, (_, index) => branchNode(`n${index}`, `n${(index + 1) % 500}`))
  expect(findErrorPaths(chain, 'n0')).toEqual(['nodes[499].else_edge.destination_node_id'])
})
