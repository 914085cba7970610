import type { FlowNode } from '@parley/contract/flow-node'
import { describe, expect, test } from 'vitest'
import {
  type ConversationMemory,
  chooseTransition,
  createEquationEdge,
  createFixedEdge,
  createFlow,
  createPromptEdge,
  createPromptNode,
  createStaticNode,
  playFlowTurn,
} from '../../testing/flow-scenario.ts'
import { callTools, failWith, replyWith, type ScriptedStep } from '../../testing/index.ts'
import type { FlowEngine } from '../conversation.ts'
import { buildFlowOpening } from './flow-opening.ts'

const otherNodes = [createStaticNode('b', 'B'), createStaticNode('c', 'C'), createStaticNode('d', 'D')]

/** The second turn of a conversation at the node `a`, which has said "A". */
async function playNextTurn(fields: Parameters<typeof createStaticNode>[2], steps: readonly ScriptedStep[] = []) {
  const flow = createFlow([createStaticNode('a', 'A', fields), ...otherNodes])
  const { memory } = await playFlowTurn(flow)
  const variables = { system: {}, given: { age: '18' }, override: {} }
  return playFlowTurn(flow, { memory, steps, text: 'go on', conversation: { variables } })
}

const adult = createEquationEdge('adult', '{{age}} >= 18', 'b')
const askedEdge = createPromptEdge('asked', 'The user asks.', 'c')

describe('precedence', () => {
  test('equations come first, in order, without a model', async () => {
    const edges = [
      askedEdge,
      createEquationEdge('child', '{{age}} < 18', 'd'),
      adult,
      createEquationEdge('too', '{{age}} == 18', 'd'),
    ]
    const { decisions, words } = await playNextTurn({ edges, always_edge: createFixedEdge('always', 'd') })
    expect(decisions).toEqual(['equation adult'])
    expect(words).toEqual(['B'])
  })

  test('then the always edge', async () => {
    const { decisions } = await playNextTurn({ edges: [askedEdge], always_edge: createFixedEdge('always', 'd') })
    expect(decisions).toEqual(['always always'])
  })

  test('then one router call for all prompts', async () => {
    const edges = [createPromptEdge('other', 'The user\nleaves at {{age}}.', 'b'), askedEdge]
    const { decisions, words, requests, explanations } = await playNextTurn({ edges }, [chooseTransition('e2')])
    expect(decisions).toEqual(['prompt asked'])
    expect(words).toEqual(['C'])
    expect(requests[0]).toMatchObject({
      toolChoice: 'required',
      tools: [
        {
          name: 'choose_transition',
          parameters: {
            properties: {
              choice: {
                enum: ['e1', 'e2', 'stay'],
                description: 'e1: The user leaves at 18.\ne2: The user asks.\nstay: None of the others applies.',
              },
              reason: { type: 'string' },
            },
            required: ['choice'],
          },
        },
      ],
    })
    expect(explanations[0]).toMatchObject({ nodeId: 'a', destinationNodeId: 'c', rationale: 'because', latencyMs: 0 })
  })

  test.each([
    ['chooses it', chooseTransition('else')],
    ['chooses an unknown key', chooseTransition('e9')],
    ['calls another tool', callTools(['book', {}])],
    ['writes no JSON', callTools(['choose_transition', '{'])],
    ['answers in text', replyWith('I am not sure.')],
    ['negates a key', chooseTransition('not e1')],
    ['fails', failWith({ retryable: false })],
  ])('then the else edge: the model %s', async (_name, step) => {
    const { decisions, words } = await playNextTurn(
      { edges: [askedEdge], else_edge: createFixedEdge('otherwise', 'd') },
      [step],
    )
    expect(decisions).toEqual(['else otherwise'])
    expect(words).toEqual(['D'])
  })

  test.each([
    ['adds the condition', chooseTransition('e2: The user asks.')],
    ['puts it in a list', callTools(['choose_transition', { choice: ['e2'] }])],
    ['names it edge', callTools(['choose_transition', { edge: 'e2' }])],
    ['sends only a list', callTools(['choose_transition', ['e2']])],
    ['quotes the condition', chooseTransition('the user asks')],
    ['answers in text', replyWith('e2')],
    ['writes the arguments as text', replyWith('{"choice": "e2"}')],
  ])('accepts a choice if the model %s', async (_name, step) => {
    const { decisions } = await playNextTurn(
      { edges: [createPromptEdge('other', 'The user leaves.', 'b'), askedEdge] },
      [step],
    )
    expect(decisions).toEqual(['prompt asked'])
  })

  test('a listed "Else" edge is the else edge, not a choice', async () => {
    const edges = [askedEdge, createPromptEdge('otherwise', ' else ', 'd')]
    const { decisions, requests } = await playNextTurn({ edges }, [chooseTransition('else')])
    expect(decisions).toEqual(['else otherwise'])
    expect(requests[0]?.tools[0]?.parameters).toMatchObject({ properties: { choice: { enum: ['e1', 'else'] } } })
  })

  test('otherwise it stays and rephrases the text', async () => {
    const { decisions, words, requests } = await playNextTurn({ edges: [askedEdge] }, [
      chooseTransition('stay'),
      replyWith('Again'),
    ])
    expect(decisions).toEqual(['stay'])
    expect(words).toEqual(['Again'])
    expect(requests[1]?.messages[0]?.content).toMatch(/^You are a test\.\n\nSay the meaning .*\n\nThe text:\nA$/s)
  })

  test('without choices the else edge is taken without a model', async () => {
    const { decisions } = await playNextTurn({ else_edge: createFixedEdge('otherwise', 'd') })
    expect(decisions).toEqual(['else otherwise'])
  })

  test('ignores edges without a destination', async () => {
    const edges = [createEquationEdge('void', '{{age}} == 18'), createPromptEdge('gone', 'The user asks.', 'nowhere')]
    const { decisions } = await playNextTurn({ edges, always_edge: createFixedEdge('always') }, [
      replyWith('Still here'),
    ])
    expect(decisions).toEqual(['stay'])
  })
})

describe('model calls', () => {
  test('none for a static text on its first visit', async () => {
    await playFlowTurn(createFlow([createStaticNode('a', 'A')]))
  })

  test('one for a prompt node without edges, on entry and when it stays', async () => {
    const flow = createFlow([createPromptNode('a', 'Talk.')])
    const { memory } = await playFlowTurn(flow, { steps: [replyWith('One')] })
    expect((await playFlowTurn(flow, { steps: [replyWith('Two')], memory })).decisions).toEqual(['stay'])
  })

  test('two for a routed transition to a prompt node', async () => {
    const flow = createFlow([
      createStaticNode('a', 'A', { edges: [createPromptEdge('x', 'asks', 'b')] }),
      createPromptNode('b', 'Talk.'),
    ])
    const { memory } = await playFlowTurn(flow)
    await playFlowTurn(flow, { steps: [chooseTransition('e1'), replyWith('B')], memory })
  })
})

describe('a node that does not wait for an answer', () => {
  test('continues at once, with one message per node', async () => {
    const nodes = [
      createStaticNode('a', 'A', { skip_response_edge: createFixedEdge('skip', 'b') }),
      createPromptNode('b', 'Talk.', {
        skip_response_edge: createFixedEdge('on', 'c'),
        edges: [createEquationEdge('no', 'x == 1', 'd')],
      }),
      ...otherNodes.slice(1),
    ]
    const { words, route, decisions } = await playFlowTurn(createFlow(nodes), { steps: [replyWith('B')] })
    expect(words).toEqual(['A', 'B', 'C'])
    expect(route).toEqual(['>a', 'a>b', 'b>c'])
    expect(decisions).toEqual(['skip-response skip', 'skip-response on'])
  })

  test('prefers its equations', async () => {
    const skip_response_edge = createFixedEdge('skip', 'b')
    const nodes = [
      createStaticNode('a', 'A', { skip_response_edge, edges: [createEquationEdge('yes', 'x not_exist', 'c')] }),
      ...otherNodes,
    ]
    const { words, decisions } = await playFlowTurn(createFlow(nodes))
    expect(decisions).toEqual(['equation yes'])
    expect(words).toEqual(['A', 'C'])
  })

  test('stops in a loop', async () => {
    const nodes = [
      createStaticNode('a', 'A', { skip_response_edge: createFixedEdge('skip', 'b') }),
      createPromptNode('b', 'Talk.', { skip_response_edge: createFixedEdge('back', 'a') }),
    ]
    const steps = Array.from({ length: 9 }, (_, index) => replyWith(`M${index}`))
    const { words, explanations, memory } = await playFlowTurn(createFlow(nodes), { steps })
    expect(words.slice(0, 4)).toEqual(['A', 'M0', 'A', 'M1'])
    expect(explanations.at(-1)).toMatchObject({ type: 'hop-limit', nodeId: 'b', hops: 8 })
    expect(memory.state?.flow).toMatchObject({ nodeId: 'b', phase: 'listening' })
  })
})

describe('a static text', () => {
  const again = async (fields: object, steps: readonly ScriptedStep[]) => {
    const flow = createFlow([
      createStaticNode('a', 'A', { always_edge: createFixedEdge('on', 'b'), ...fields }),
      createStaticNode('b', 'B', { always_edge: createFixedEdge('back', 'a') }),
    ])
    const { memory } = await playFlowTurn(flow)
    const moved = await playFlowTurn(flow, { memory, text: 'on' })
    return (await playFlowTurn(flow, { memory: moved.memory, text: 'back', steps })).words
  }

  test('is said unchanged at every visit', async () => {
    expect(await again({}, [])).toEqual(['A'])
  })

  test('is rephrased at later visits if configured', async () => {
    expect(await again({ reword_on_revisit: true }, [replyWith('A, in other words')])).toEqual(['A, in other words'])
  })
})

describe('the opening', () => {
  const lookup = (name: string) => (name === 'who' ? 'Ann {{x}}' : undefined)
  const nodes = [createStaticNode('a', 'Hello {{who}}', { edges: [askedEdge] }), ...otherNodes]
  const createOpenedMemory = (flow: FlowEngine): ConversationMemory => {
    const opening = buildFlowOpening(flow, lookup)
    const history = opening?.texts.map((content) => ({ role: 'assistant', content, toolCalls: [] }) as const) ?? []
    const engine = { kind: 'conversation-flow', id: 'conversation_flow_1', version: 1 } as const
    return { history, state: { schema: 1, engine, collectedVariables: {}, ...(opening && { flow: opening.flow }) } }
  }

  test('a static text opens a chat, and the first message is routed', async () => {
    expect(buildFlowOpening(createFlow(nodes), lookup)?.texts).toEqual(['Hello Ann {{x}}'])
    const { route } = await playFlowTurn(createFlow(nodes), {
      memory: createOpenedMemory(createFlow(nodes)),
      steps: [chooseTransition('e1')],
    })
    expect(route).toEqual(['a>c'])
  })

  test.each([
    ['the user starts', createFlow(nodes, { startSpeaker: 'user' })],
    ['the first node has a prompt', createFlow([createPromptNode('a', 'Talk.')])],
    ['the text is blank', createFlow([createStaticNode('a', ' {{empty}}')], { defaultVariables: { empty: '' } })],
    ['the first node is silent', createFlow([{ id: 'a', type: 'branch' }])],
    ['the first node is missing', createFlow([], { startNodeId: 'a' })],
  ])('is empty if %s', (_name, flow) => {
    expect(buildFlowOpening(flow, (name) => (name === 'empty' ? '' : undefined))).toBeNull()
  })

  const createSkippingNode = (id: string, text: string, destination: string) =>
    createStaticNode(id, text, { skip_response_edge: createFixedEdge('skip', destination) })
  const openFlow = (flowNodes: readonly FlowNode[]) => {
    const opening = buildFlowOpening(createFlow(flowNodes), lookup)
    return opening && [...opening.texts, `at ${opening.flow.nodeId}`]
  }

  test('texts that do not wait for an answer open the chat together, each once', () => {
    expect(openFlow([createSkippingNode('a', 'A', 'b'), ...otherNodes])).toEqual(['A', 'B', 'at b'])
    expect(
      openFlow([createSkippingNode('a', 'A', 'b'), createSkippingNode('b', 'B', 'c'), createStaticNode('c', 'C')]),
    ).toEqual(['A', 'B', 'C', 'at c'])
    expect(openFlow([createSkippingNode('a', 'A', 'b'), createSkippingNode('b', 'B', 'a')])).toEqual(['A', 'B', 'at b'])
    expect(openFlow([createSkippingNode('a', 'A', 'a')])).toEqual(['A', 'at a'])
    expect(openFlow([createStaticNode('a', 'A', { always_edge: createFixedEdge('on', 'b') }), ...otherNodes])).toEqual([
      'A',
      'at a',
    ])
  })

  test('passes a branch by its equations', () => {
    const branch = (edge: ReturnType<typeof createPromptEdge | typeof createEquationEdge>): FlowNode => {
      return { id: 'x', type: 'branch', edges: [edge], else_edge: createFixedEdge('else', 'c') }
    }
    expect(
      openFlow([
        createSkippingNode('a', 'A', 'x'),
        branch(createEquationEdge('e', '{{who}} exists', 'b')),
        ...otherNodes,
      ]),
    ).toEqual(['A', 'B', 'at b'])
    expect(
      openFlow([
        createSkippingNode('a', 'A', 'x'),
        branch(createPromptEdge('p', 'The user asks.', 'b')),
        ...otherNodes,
      ]),
    ).toEqual(['A', 'at a'])
  })

  test.each<[string, FlowNode]>([
    ['a prompt', createPromptNode('b', 'Talk.')],
    ['an end', { id: 'b', type: 'end', instruction: { type: 'static_text', text: 'Bye' } }],
    ['a tool', { id: 'b', type: 'code', code: 'return 1', else_edge: createFixedEdge('on', 'c') }],
  ])('%s after the first text waits for the first turn', (_name, node) => {
    expect(openFlow([createSkippingNode('a', 'A', 'b'), node, createStaticNode('c', 'C')])).toEqual(['A', 'at a'])
  })

  test('routes the first message at the second node after both texts', async () => {
    const flow = createFlow([
      createSkippingNode('a', 'A', 'b'),
      createStaticNode('b', 'B', { always_edge: createFixedEdge('on', 'c') }),
      ...otherNodes.slice(1),
    ])
    expect((await playFlowTurn(flow, { memory: createOpenedMemory(flow) })).words).toEqual(['C'])
  })

  test('an unknown place leads to the first node', async () => {
    const { memory } = await playFlowTurn(createFlow([createStaticNode('old', 'Old')]))
    const { route, explanations } = await playFlowTurn(createFlow(nodes), { memory })
    expect(route).toEqual(['>a'])
    expect(explanations[0]).toMatchObject({ type: 'skipped', what: 'node "old"' })
  })
})
