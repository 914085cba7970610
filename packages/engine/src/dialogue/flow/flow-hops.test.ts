import type { FlowNode } from '@parley/contract/flow-node'
import { expect, test } from 'vitest'
import {
  createEquationEdge,
  createFixedEdge,
  createFlow,
  createGraph,
  createPromptNode,
  createStaticNode,
  playFlowTurn,
} from '../../testing/flow-scenario.ts'
import { replyWith, type ScriptedStep, selectEvents } from '../../testing/index.ts'
import type { FlowEngine } from '../conversation.ts'

const RESULT = { ok: true, resultText: '{"n": 1}', durationMs: 1 } as const

const ports = { code: { run: async () => RESULT } }
const runFlow = (nodes: readonly FlowNode[], fields: Partial<FlowEngine> = {}, steps: readonly ScriptedStep[] = []) =>
  playFlowTurn(createFlow(nodes, fields), { steps, ports })

const createBranch = (
  id: string,
  otherwise: string,
  edges: Extract<FlowNode, { type: 'branch' }>['edges'] = [],
): FlowNode => {
  return { id, type: 'branch', edges, else_edge: createFixedEdge(`to ${otherwise}`, otherwise) }
}
const createCodeNode = (id: string, next: string): FlowNode => {
  return { id, type: 'code', code: 'return 1', else_edge: createFixedEdge('on', next) }
}
const done = createStaticNode('done', 'Done.')

test('a chain of nine equations calls no model', async () => {
  const nodes = Array.from({ length: 9 }, (_, index) => {
    const next = index === 8 ? 'done' : `b${index + 1}`
    return createBranch(`b${index}`, 'b0', [createEquationEdge('on', '{{x}} not_exist', next)])
  })
  const { words, decisions } = await runFlow([...nodes, done])
  expect(words).toEqual(['Done.'])
  expect(decisions).toEqual(Array.from({ length: 9 }, () => 'equation on'))
})

test('the flow limits the costly transitions of a turn', async () => {
  const nodes = [
    createCodeNode('c0', 'c1'),
    createCodeNode('c1', 'c2'),
    createBranch('b', 'c2'),
    createCodeNode('c2', 'done'),
    done,
  ]
  expect((await runFlow(nodes, { maxHopsPerTurn: 3 })).words).toEqual(['Done.'])
  const { words, explanations } = await runFlow(nodes, { maxHopsPerTurn: 2 }, [replyWith('Stopped.')])
  expect(words).toEqual(['Stopped.'])
  expect(explanations.at(-1)).toEqual({ type: 'hop-limit', nodeId: 'c2', path: [], hops: 2 })
})

test('static texts in a circle are each said once', async () => {
  const nodes = [
    createStaticNode('a', 'A', { skip_response_edge: createFixedEdge('on', 'b') }),
    createStaticNode('b', 'B', { skip_response_edge: createFixedEdge('back', 'a') }),
  ]
  const { words, explanations, memory } = await runFlow(nodes)
  expect(words).toEqual(['A', 'B'])
  expect(explanations.at(-1)).toEqual({
    type: 'loop-stopped',
    nodeId: 'b',
    path: [],
    destinationNodeId: 'a',
  })
  expect(memory.state?.flow).toMatchObject({ nodeId: 'b', phase: 'listening' })
})

test('a loop of silent nodes ends by the else edge of its last node', async () => {
  const nodes = [
    createBranch('a', 'b'),
    createBranch('b', 'done', [createEquationEdge('back', '{{x}} not_exist', 'a')]),
    done,
  ]
  const { words, decisions, explanations } = await runFlow(nodes)
  expect(words).toEqual(['Done.'])
  expect(decisions).toEqual(['else to b', 'else to done'])
  expect(explanations.map(({ type }) => type)).toEqual(['flow-decision', 'loop-stopped', 'flow-decision'])
})

test('the last node of a loop without an exit speaks', async () => {
  const { words, memory } = await runFlow([createBranch('a', 'b'), createBranch('b', 'a')], {}, [
    replyWith('Where were we?'),
  ])
  expect(words).toEqual(['Where were we?'])
  expect(memory.state?.flow).toMatchObject({ nodeId: 'b', phase: 'listening' })
})

test('a node may be entered again after a change', async () => {
  const nodes: FlowNode[] = [
    createBranch('a', 'c', [createEquationEdge('known', '{{n}} == 1', 'done')]),
    { ...createCodeNode('c', 'a'), response_variables: { n: 'n' } } as FlowNode,
    done,
  ]
  const { route } = await runFlow(nodes)
  expect(route).toEqual(['>a', 'a>c', 'c>a', 'a>done'])
})

test('a component in a loop is entered once', async () => {
  const component = createGraph([{ id: 'x', type: 'branch', else_edge: createFixedEdge('out') }])
  const nodes: FlowNode[] = [
    { id: 'a', type: 'component', component_id: 'part', else_edge: createFixedEdge('on', 'b') },
    createBranch('b', 'a'),
  ]
  const { words, route } = await runFlow(nodes, { components: { part: component } }, [replyWith('Stopped.')])
  expect(route).toEqual(['>a', 'a>x', 'x>a', 'a>b'])
  expect(words).toEqual(['Stopped.'])
})

test('entering a component node counts as entering its start', async () => {
  const component = createGraph([
    createStaticNode('s', 'Hello.', { skip_response_edge: createFixedEdge('on', 'b') }),
    createBranch('b', 'c', [createEquationEdge('known', '{{n}} == 1')]),
    { ...createCodeNode('c', 's'), response_variables: { n: 'n' } } as FlowNode,
  ])
  const nodes: FlowNode[] = [
    { id: 'a', type: 'component', component_id: 'part', else_edge: createFixedEdge('on', 'a') },
  ]
  const { words } = await runFlow(nodes, { components: { part: component } }, [replyWith('Stopped.')])
  expect(words).toEqual(['Hello.', 'Hello.', 'Stopped.'])
})

test('decisions and transitions name their components', async () => {
  const innermost = createGraph([{ id: 'x', type: 'branch', else_edge: createFixedEdge('out') }])
  const component = createGraph([{ id: 'y', type: 'component', component_id: 'c2', else_edge: createFixedEdge('out') }])
  const nodes: FlowNode[] = [
    { id: 'first', type: 'component', component_id: 'c1', else_edge: createFixedEdge('on', 'second') },
    { id: 'second', type: 'component', component_id: 'c1', else_edge: createFixedEdge('on', 'end') },
    createPromptNode('end', 'Talk.'),
  ]
  const { explanations, events } = await runFlow(nodes, { components: { c1: component, c2: innermost } }, [
    replyWith('Hello.'),
  ])
  const entered = selectEvents(events, 'node-transition').map(({ to }) => [...to.path, to.nodeId].join('/'))
  const through = ['', '/y', '/y/x', '/y', '']
  expect(entered).toEqual([...through.map((part) => `first${part}`), ...through.map((part) => `second${part}`), 'end'])
  const decided = explanations.flatMap((explanation) =>
    explanation.type === 'flow-decision' ? [explanation.path.join('/')] : [],
  )
  expect(decided).toEqual(['first/y', 'first', '', 'second/y', 'second', '', ''].slice(0, decided.length))
})
