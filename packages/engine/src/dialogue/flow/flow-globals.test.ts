import type { FlowNode } from '@parley/contract/flow-node'
import { describe, expect, test } from 'vitest'
import {
  type ConversationMemory,
  chooseTransition,
  createEquationEdge,
  createFixedEdge,
  createFlow,
  createGraph,
  createPromptEdge,
  createPromptNode,
  createStaticNode,
  EMPTY_MEMORY,
  playFlowTurn,
} from '../../testing/flow-scenario.ts'
import { replyWith, type ScriptedStep } from '../../testing/index.ts'
import type { FlowEngine } from '../conversation.ts'

async function playUserTurn(flow: FlowEngine, memory: ConversationMemory, ...steps: readonly ScriptedStep[]) {
  const turn = await playFlowTurn(flow, { memory, steps })
  const questions = turn.requests.map(({ tools }) => JSON.stringify(tools[0]?.parameters ?? null))
  return { ...turn, question: questions[0], questions }
}

const createFaqNode = (fields: object = {}, node: Parameters<typeof createStaticNode>[2] = {}): FlowNode =>
  createStaticNode('faq', 'Open until six.', {
    global_node_setting: {
      condition: 'The user asks about opening times.',
      go_back_conditions: [
        { id: 'back', transition_condition: { type: 'prompt', prompt: 'The question is answered.' } },
      ],
      ...fields,
    },
    ...node,
  })

describe('a global node', () => {
  const flow = createFlow([
    createStaticNode('a', 'A', { edges: [createPromptEdge('p', 'wants b', 'b')] }),
    createPromptNode('b', 'B'),
    createFaqNode(),
  ])

  test('can be entered from anywhere and left by going back', async () => {
    const first = await playUserTurn(flow, EMPTY_MEMORY)
    const entered = await playUserTurn(flow, first.memory, chooseTransition('g1'))
    expect(entered.question).toContain('g1: The user asks about opening times.')
    expect(entered.route).toEqual(['a>faq global'])
    expect(entered.memory.state?.flow?.origins).toEqual([{ nodeId: 'a', path: [] }])
    const back = await playUserTurn(flow, entered.memory, chooseTransition('b1'))
    expect(back.words).toEqual(['A'])
    expect(back.question).toContain('["b1","stay"]')
    expect(back.route).toEqual(['faq>a global_go_back'])
    expect(back.decisions).toEqual(['go-back back'])
    expect(back.memory.state?.flow).toMatchObject({ origins: [], visits: { a: 2, faq: 1 }, transitions: 3 })
  })

  test('goes back by an equation without a model', async () => {
    const go_back_conditions = [{ transition_condition: { type: 'equation', prompt: '{{x}} not_exist' } }]
    const other = createFlow([createStaticNode('a', 'A'), createFaqNode({ go_back_conditions })])
    const { memory } = await playUserTurn(
      other,
      (await playUserTurn(other, EMPTY_MEMORY)).memory,
      chooseTransition('g1'),
    )
    const back = await playUserTurn(other, memory)
    expect(back.route).toEqual(['faq>a global_go_back'])
    expect(back.decisions).toEqual(['go-back'])
  })

  test("has lower precedence than the node's edges, and forgets its origin when left by an edge", async () => {
    const leaving = createFlow([
      createStaticNode('a', 'A', {
        edges: [createEquationEdge('e', '{{gone}} exists', 'b'), createPromptEdge('p', 'wants b', 'b')],
      }),
      createPromptNode('b', 'B'),
      createFaqNode({}, { edges: [createPromptEdge('on', 'wants more', 'b')] }),
    ])
    const entered = await playUserTurn(
      leaving,
      (await playUserTurn(leaving, EMPTY_MEMORY)).memory,
      chooseTransition('g1'),
    )
    expect(entered.question).toContain('["e1","g1","stay"]')
    const leavingTurn = await playUserTurn(leaving, entered.memory, chooseTransition('e1'), replyWith('B'))
    expect(leavingTurn.question).toContain('["e1","b1","stay"]')
    expect(leavingTurn.memory.state?.flow).toMatchObject({ nodeId: 'b', origins: [] })
  })

  test('counts transitions for its cool-down', async () => {
    const coolDownFlow = createFlow([
      createStaticNode('a', 'A', { edges: [createPromptEdge('p', 'wants b', 'b')] }),
      createPromptNode('b', 'B', { edges: [createPromptEdge('q', 'wants c', 'c')] }),
      createPromptNode('c', 'C'),
      createFaqNode({ cool_down: 2 }),
    ])
    const entered = await playUserTurn(
      coolDownFlow,
      (await playUserTurn(coolDownFlow, EMPTY_MEMORY)).memory,
      chooseTransition('g1'),
    )
    const back = await playUserTurn(coolDownFlow, entered.memory, chooseTransition('b1'))
    const tooEarly = await playUserTurn(coolDownFlow, back.memory, chooseTransition('e1'), replyWith('B'))
    expect(tooEarly.question).toContain('["e1","stay"]')
    const next = await playUserTurn(coolDownFlow, tooEarly.memory, chooseTransition('e1'), replyWith('C'))
    expect(next.question).toContain('["e1","stay"]')
    const later = await playUserTurn(coolDownFlow, next.memory, chooseTransition('g1'))
    expect(later.route).toEqual(['c>faq global'])
  })

  test('with a cool-down of one waits for a transition after the one that leaves it', async () => {
    const coolDownFlow = createFlow([
      createStaticNode('a', 'A', { edges: [createPromptEdge('p', 'wants b', 'b')] }),
      createPromptNode('b', 'B'),
      createFaqNode({ cool_down: 1 }),
    ])
    const entered = await playUserTurn(
      coolDownFlow,
      (await playUserTurn(coolDownFlow, EMPTY_MEMORY)).memory,
      chooseTransition('g1'),
    )
    const back = await playUserTurn(coolDownFlow, entered.memory, chooseTransition('b1'))
    const tooEarly = await playUserTurn(coolDownFlow, back.memory, chooseTransition('e1'), replyWith('B'))
    expect(tooEarly.question).toContain('["e1","stay"]')
    const later = await playUserTurn(coolDownFlow, tooEarly.memory, chooseTransition('g1'))
    expect(later.route).toEqual(['b>faq global'])
  })

  test('is offered once per turn', async () => {
    const chain = createFlow([
      createStaticNode('a', 'A', { edges: [createPromptEdge('p', 'wants b', 'r')] }),
      { id: 'r', type: 'branch', edges: [createPromptEdge('q', 'really', 'b')], else_edge: createFixedEdge('no', 'a') },
      createPromptNode('b', 'B'),
      createFaqNode(),
    ])
    const { memory } = await playUserTurn(chain, EMPTY_MEMORY)
    const { questions } = await playUserTurn(
      chain,
      memory,
      chooseTransition('e1'),
      chooseTransition('e1'),
      replyWith('B'),
    )
    expect(questions[1]).toContain('["e1","else"]')
  })
})

describe('a component', () => {
  const component = createGraph([
    createStaticNode('i', 'I', {
      edges: [createPromptEdge('out', 'The user is done.'), createPromptEdge('deep', 'Deeper.', 'c2')],
    }),
    { id: 'c2', type: 'component', component_id: 'innermost', else_edge: createFixedEdge('up') },
  ])
  const innermost = createGraph([createStaticNode('m', 'M', { always_edge: createFixedEdge('out') })])
  const nodes: FlowNode[] = [
    {
      id: 'c',
      type: 'component',
      component_id: 'inner',
      edges: [createEquationEdge('no', '{{x}} exists', 'c')],
      else_edge: createFixedEdge('then', 'z'),
    },
    createStaticNode('z', 'Z'),
    createFaqNode(),
  ]
  const flow = createFlow(nodes, { components: { inner: component, innermost } })

  test('starts at its first node, and its node decides when it ends', async () => {
    const first = await playUserTurn(flow, EMPTY_MEMORY)
    expect(first.route).toEqual(['>c', 'c>i'])
    expect(first.memory.state?.flow).toMatchObject({ nodeId: 'i', path: ['c'], visits: { c: 1, '["c","i"]': 1 } })
    const leavingTurn = await playUserTurn(flow, first.memory, chooseTransition('e1'))
    expect(leavingTurn.route).toEqual(['i>c', 'c>z'])
    expect(leavingTurn.decisions).toEqual(['prompt out', 'else then'])
    expect(leavingTurn.memory.state?.flow).toMatchObject({ nodeId: 'z', path: [] })
  })

  test('ends level by level when nested', async () => {
    const first = await playUserTurn(flow, EMPTY_MEMORY)
    const deep = await playUserTurn(flow, first.memory, chooseTransition('e2'))
    expect(deep.route).toEqual(['i>c2', 'c2>m'])
    expect(deep.memory.state?.flow?.path).toEqual(['c', 'c2'])
    const out = await playUserTurn(flow, deep.memory, chooseTransition('else'))
    // The first edge needs no model, so global nodes are offered with the first router call.
    expect(out.question).toContain('["g1","else"]')
    expect(out.route).toEqual(['m>c2', 'c2>c', 'c>z'])
    expect(out.words).toEqual(['Z'])
  })

  test('can be left for global nodes of the enclosing flow and re-entered', async () => {
    const first = await playUserTurn(flow, EMPTY_MEMORY)
    const entered = await playUserTurn(flow, first.memory, chooseTransition('g1'))
    expect(entered.route).toEqual(['i>faq global'])
    expect(entered.memory.state?.flow).toMatchObject({ path: [], origins: [{ nodeId: 'i', path: ['c'] }] })
    const back = await playUserTurn(flow, entered.memory, chooseTransition('b1'))
    expect(back.route).toEqual(['faq>i global_go_back'])
    expect(back.memory.state?.flow).toMatchObject({ nodeId: 'i', path: ['c'], origins: [] })
  })

  test('takes its else edge if missing', async () => {
    const { explanations, route } = await playUserTurn(createFlow(nodes), EMPTY_MEMORY)
    expect(route).toEqual(['>c', 'c>z'])
    expect(explanations[0]).toMatchObject({ type: 'skipped', reason: expect.stringMatching(/"inner"/) })
  })

  test('terminates if it runs itself', async () => {
    const loop = createGraph([{ id: 'c', type: 'component', component_id: 'inner' }])
    const looping = createFlow(nodes.slice(0, 1), { components: { inner: loop } })
    expect((await playUserTurn(looping, EMPTY_MEMORY, replyWith('Hello'))).words).toEqual(['Hello'])
  })

  test('lets its node speak if it ends silently', async () => {
    const quiet = createGraph([{ id: 'q', type: 'branch', else_edge: createFixedEdge('out') }])
    const flowOfOne = createFlow([{ id: 'c', type: 'component', component_id: 'quiet' }], { components: { quiet } })
    const { words, memory } = await playUserTurn(flowOfOne, EMPTY_MEMORY, replyWith('Hello'))
    expect(words).toEqual(['Hello'])
    expect(memory.state?.flow).toMatchObject({ nodeId: 'c', path: [], phase: 'listening' })
  })
})
