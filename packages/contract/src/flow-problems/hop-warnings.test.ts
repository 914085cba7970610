import { expect, test } from 'vitest'
import { findFlowProblems } from './flow-problems.ts'
import { parseFlow } from './flow-problems-test-kit.ts'

const createCodeNode = (id: string, next?: string) => ({
  id,
  type: 'code',
  code: 'return 1',
  ...(next !== undefined && { else_edge: { destination_node_id: next } }),
})
const buildChain = (length: number) =>
  Array.from({ length }, (_, index) => createCodeNode(index === 0 ? 'a' : `n${index}`, `n${index + 1}`))
const createEndNode = (id: string) => ({ id, type: 'end' })
const findWarnedPaths = (nodes: readonly object[], fields: object = {}) =>
  findFlowProblems(parseFlow(nodes, fields), { shared: null }).warnings.filter(({ message }) =>
    /max_hops/.test(message),
  )

test('warns about chains that exceed the limit', () => {
  expect(findWarnedPaths([...buildChain(8), createEndNode('n8')])).toEqual([])
  expect(findWarnedPaths([...buildChain(9), createEndNode('n9')])).toMatchObject([{ path: 'nodes[8]' }])
  expect(findWarnedPaths([...buildChain(9), createEndNode('n9')], { max_hops_per_turn: 9 })).toEqual([])
  expect(findWarnedPaths([...buildChain(2), createEndNode('n2')], { max_hops_per_turn: 1 })).toMatchObject([
    { path: 'nodes[1]', message: expect.stringContaining('More than 1 transition ') },
  ])
})

test('does not count equations and static texts', () => {
  const equation = { transition_condition: { type: 'equation', prompt: 'x exists' }, destination_node_id: 'a' }
  const free = Array.from({ length: 20 }, (_, index) => ({
    id: index === 0 ? 'a' : `n${index}`,
    type: 'branch',
    edges: [equation],
    else_edge: { destination_node_id: `n${index + 1}` },
  }))
  expect(findWarnedPaths([...free, createEndNode('n20')])).toEqual([])
})

test('warns about cycles of costly nodes unless the user speaks in them', () => {
  const says = {
    id: 'c',
    type: 'conversation',
    instruction: { type: 'prompt', text: 'Talk.' },
    always_edge: { destination_node_id: 'a' },
  }
  expect(findWarnedPaths([createCodeNode('a', 'b'), createCodeNode('b', 'a')])).toHaveLength(1)
  expect(findWarnedPaths([createCodeNode('a', 'b'), createCodeNode('b', 'c'), says])).toEqual([])
})

test('finds chains within components', () => {
  const nodes = [...buildChain(9), createEndNode('n9')]
  const fields = { components: [{ name: 'part', nodes }] }
  const [warning] = findWarnedPaths([{ id: 'a', type: 'component', component_id: 'part', else_edge: {} }], fields)
  expect(warning).toMatchObject({ path: 'components[0].nodes[8]', message: /^In component "part": / })
})
