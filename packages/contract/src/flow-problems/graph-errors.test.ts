import { describe, expect, test } from 'vitest'
import { branch, graph, says, to } from './flow-problems-test-kit.ts'
import { graphErrors } from './graph-errors.ts'

const pathsOf = (nodes: readonly object[], start_node_id = 'a') =>
  graphErrors(graph(nodes, { start_node_id })).map(({ path }) => path)

describe('a graph that can be stored', () => {
  const validGraphs: [string, object[]][] = [
    ['one node', [says('a')]],
    ['a circle of nodes that speak', [says('a', 'b'), says('b', 'a')]],
    ['a circle of branches that passes a node that speaks', [branch('a', 'b'), says('b', 'c'), branch('c', 'a')]],
    ['branches that meet again', [branch('a', 'b', 'c'), branch('b', 'd'), branch('c', 'd'), says('d')]],
    ['a branch whose way out is listed', [{ id: 'a', type: 'branch', edges: [to('b', 'Else')] }, says('b')]],
    ['edges that lead nowhere yet', [{ id: 'a', type: 'end', edges: [to(undefined)] }]],
    ['edges of one id in two nodes', ['a', 'b'].map((id) => ({ id, type: 'end', edges: [{ ...to('a'), id: 'e' }] }))],
  ]
  test.each(validGraphs)('%s', (_, nodes) => {
    expect(pathsOf(nodes)).toEqual([])
  })
})

describe('a graph that is refused', () => {
  const fixed = { destination_node_id: 'x' }
  const when = (equation: object, destination: string) => ({
    transition_condition: { type: 'equation', ...equation },
    destination_node_id: destination,
  })
  const refused: [string, object[], string[]][] = [
    ['no node', [], ['nodes']],
    ['no start', [says('b')], ['start_node_id']],
    ['an id twice', [says('a'), says('b'), says('a')], ['nodes[2].id']],
    [
      'edges to nowhere',
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
      'a branch without a way out',
      [{ id: 'a', type: 'branch', edges: [to('a2')] }, says('a2')],
      ['nodes[0].else_edge'],
    ],
    ['a branch that leads to itself', [branch('a', 'a')], ['nodes[0].else_edge.destination_node_id']],
    [
      'branches in a circle',
      [says('a', 'b'), branch('b', 'a', 'c'), branch('c', 'd'), branch('d', 'a', 'b')],
      ['nodes[3].edges[0].destination_node_id'],
    ],
    [
      'two edges of one id in a node',
      [{ id: 'a', type: 'conversation', edges: [{ ...to('a'), id: 'e' }], else_edge: { id: 'e' } }],
      ['nodes[0].else_edge.id'],
    ],
    [
      'equations that are none, with everything else that is wrong',
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
      'a way back by an equation that is none',
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

  test('for what a body does to stored nodes: the path is that of the body, the stored node is named', () => {
    const problems = graphErrors(graph([says('a', 'x'), says('b', 'x')]), (_index, id) => (id === 'b' ? 0 : null))
    expect(problems).toEqual([
      { path: 'nodes', message: expect.stringContaining('"edges[0].destination_node_id" of the stored node "a"') },
      { path: 'nodes[0].edges[0].destination_node_id', message: 'must name a node: there is no "x"' },
    ])
  })
})

test('a chain of 500 branches is checked', () => {
  const chain = Array.from({ length: 500 }, (_, index) => branch(`n${index}`, `n${(index + 1) % 500}`))
  expect(pathsOf(chain, 'n0')).toEqual(['nodes[499].else_edge.destination_node_id'])
})
