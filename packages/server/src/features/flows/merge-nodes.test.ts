import { FlowNodePatch } from '@parley/contract/flow-node'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildConversationNode, buildEdge, parseNodes } from './flows-test-kit.ts'
import { fillEdgeIds, mergeNodes, type NodeChange } from './merge-nodes.ts'

/** Assigns edge ids starting at `first`. */
function storeNodes(nodes: Parameters<typeof fillEdgeIds>[0], first = 0) {
  let count = first
  return fillEdgeIds(nodes, () => `made_${++count}`)
}

const readChange = (nodes: readonly object[], rest: Omit<NodeChange, 'nodes'> = {}): NodeChange => ({
  nodes: nodes.map((node) => FlowNodePatch.parse(node)),
  ...rest,
})

const stored = storeNodes(
  parseNodes([
    buildConversationNode('a', 'b'),
    { ...buildConversationNode('b', 'c', 'a'), name: 'B' },
    { id: 'c', type: 'end' },
  ]),
)

describe('merging', () => {
  test('replaces given fields and keeps the rest of the node and its position', () => {
    const { nodes, problems } = mergeNodes(
      stored,
      readChange([{ id: 'b', instruction: { type: 'static_text', text: 'x' } }]),
    )
    expect(problems).toEqual([])
    expect(nodes).toEqual([stored[0], { ...stored[1], instruction: { type: 'static_text', text: 'x' } }, stored[2]])
  })

  test('replaces edges as a whole; an equal edge keeps its id, others get a new one', () => {
    const change = readChange([{ id: 'b', edges: [buildEdge('a'), buildEdge('c', 'Other'), buildEdge('c')] }])
    const edges = storeNodes(mergeNodes(stored, change).nodes, 10)[1]?.edges
    expect(edges?.map(({ id }) => id)).toEqual(['made_3', 'made_11', 'made_2'])
  })

  test('appends new nodes in order', () => {
    const { nodes } = mergeNodes(
      stored,
      readChange([buildConversationNode('z'), { id: 'a', name: 'A' }, buildConversationNode('y')]),
    )
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'z', 'y'])
  })

  test('removes a field with null, and nodes only by name', () => {
    const { nodes, warnings } = mergeNodes(stored, readChange([{ id: 'b', name: null }], { removeNodeIds: ['c', 'x'] }))
    expect(nodes.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(nodes[1]).not.toHaveProperty('name')
    expect(warnings).toEqual(['Node "x" does not exist and was not removed.'])
  })

  test('takes the nodes unchanged with replaceNodes', () => {
    const change = readChange([{ id: 'b', type: 'conversation', edges: [buildEdge('b'), buildEdge('c')] }], {
      replaceNodes: true,
    })
    const { nodes } = mergeNodes(stored, change)
    expect(nodes).toEqual([
      {
        id: 'b',
        type: 'conversation',
        edges: [
          { ...buildEdge('b'), id: '' },
          { ...buildEdge('c'), id: 'made_2' },
        ],
      },
    ])
  })

  test('drops fields that a type does not have, with a warning', () => {
    const { nodes, warnings } = mergeNodes(
      stored,
      readChange([{ id: 'b', type: 'end', code: 'x', agent_id: 'agent_1' }]),
    )
    expect(nodes[1]).toEqual({ ...stored[1], type: 'end' })
    expect(warnings).toEqual(['Node "b" of type "end" has no "code", "agent_id", which was ignored.'])
    const speaking = parseNodes([{ ...buildConversationNode('s'), reminder_max_count: 1 }])
    expect(mergeNodes(speaking, readChange([{ id: 's', type: 'end' }])).nodes[0]).not.toHaveProperty(
      'reminder_max_count',
    )
  })

  test('an edge in a fixed field keeps its id when it changes', () => {
    const branch = storeNodes(parseNodes([{ id: 'x', type: 'branch', else_edge: { destination_node_id: 'a' } }]))
    const { nodes } = mergeNodes(branch, readChange([{ id: 'x', else_edge: { destination_node_id: 'b' } }]))
    expect(nodes).toEqual([{ id: 'x', type: 'branch', else_edge: { id: 'made_1', destination_node_id: 'b' } }])
  })

  const refused: [string, NodeChange, string[]][] = [
    ['a new node without a type', readChange([{ id: 'a' }, { id: 'new' }]), ['nodes[1].type']],
    [
      'any node without a type when all are replaced',
      readChange([{ id: 'a' }], { replaceNodes: true }),
      ['nodes[0].type'],
    ],
    ['an id twice', readChange([{ id: 'a' }, { id: 'a' }]), ['nodes[1].id']],
    ['a node both changed and removed', readChange([{ id: 'a' }], { removeNodeIds: ['c', 'a'] }), ['removeNodeIds[1]']],
    ['replacing with nothing', { replaceNodes: true }, ['nodes']],
  ]
  test.each(refused)('rejects %s', (_, change, paths) => {
    expect(mergeNodes(stored, change).problems.map(({ path }) => path)).toEqual(paths)
  })
})

describe('for any flow and any change', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const edge = fc.record(
    {
      id: fc.constantFrom('e1', 'e2'),
      transition_condition: fc.record({ type: fc.constant('prompt'), prompt: fc.constantFrom('Yes', 'No') }),
      destination_node_id: id,
    },
    { requiredKeys: ['transition_condition'] },
  )
  const fields = {
    name: fc.constantFrom('One', 'Two'),
    instruction: fc.record({ type: fc.constant('prompt'), text: fc.constantFrom('x', 'y') }),
    edges: fc.uniqueArray(edge, {
      maxLength: 3,
      selector: (one) => one.id,
      comparator: (x, y) => x !== undefined && x === y,
    }),
    else_edge: fc.record({ destination_node_id: id }),
    code: fc.constantFrom('1', '2'),
  }
  const type = fc.constantFrom('conversation', 'code', 'branch', 'end')
  const node = fc.record({ id, type, ...fields }, { requiredKeys: ['id', 'type'] })
  const nodes = fc
    .uniqueArray(node, { selector: (one) => one.id, maxLength: 5 })
    .map((list) => storeNodes(parseNodes(list)))
  const nullable = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, fc.option<unknown>(value)]))
  const patch = fc.record({ id, type, ...nullable }, { requiredKeys: ['id'] })
  const change = fc
    .record({
      nodes: fc.uniqueArray(patch, { selector: (one) => one.id, maxLength: 5 }),
      removeNodeIds: fc.uniqueArray(id, { maxLength: 2 }),
      replaceNodes: fc.boolean(),
    })
    .map(({ nodes, ...rest }) => readChange(nodes, rest))

  test('applying a change twice equals applying it once', () => {
    fc.assert(
      fc.property(nodes, change, (before, what) => {
        const once = mergeNodes(before, what)
        fc.pre(once.problems.length === 0)
        const after = storeNodes(once.nodes, 100)
        const twice = mergeNodes(after, what)
        expect(twice.problems).toEqual([])
        expect(storeNodes(twice.nodes, 200)).toEqual(after)
      }),
      { numRuns: 1_000 },
    )
  })

  test('writing back a response changes nothing', () => {
    fc.assert(
      fc.property(nodes, fc.boolean(), (before, replaceNodes) => {
        const read = readChange(JSON.parse(JSON.stringify(before)), { replaceNodes })
        expect(mergeNodes(before, read)).toEqual({ nodes: before, problems: [], warnings: [] })
      }),
    )
  })

  test('keeps unnamed nodes and their order', () => {
    fc.assert(
      fc.property(nodes, change, (before, { replaceNodes: _, ...what }) => {
        const { nodes: after, problems } = mergeNodes(before, what)
        fc.pre(problems.length === 0)
        const remainingIds = before.map((one) => one.id).filter((one) => what.removeNodeIds?.includes(one) !== true)
        expect(after.map((one) => one.id).slice(0, remainingIds.length)).toEqual(remainingIds)
        const patched = new Set(what.nodes?.map((one) => one.id))
        for (const one of before) {
          if (remainingIds.includes(one.id) && !patched.has(one.id)) expect(after).toContainEqual(one)
        }
      }),
    )
  })
})
