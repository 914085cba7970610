import { describe, expect } from 'vitest'
import type { ModelReply } from '../../../testing/model-server/reply.ts'
import { readChat } from '../../../testing/server-test.ts'
import { runTurn } from '../scripted-model.ts'
import {
  chooses,
  edge,
  flowChat,
  readTurns,
  routingTiersOf,
  says,
  systemPromptOf,
  talks,
  test,
  to,
  toolsOf,
  when,
} from './dialogue-test-kit.ts'

const CITY = { type: 'string', name: 'city', description: 'Where to.', required: true }
const extraction = (fields: object = {}) => ({
  id: 'find',
  type: 'extract_dynamic_variables',
  variables: [CITY],
  edges: [edge('go', 'It is known.')],
  ...fields,
})

interface Counted {
  readonly nodes: readonly object[]
  /** Model replies by turn. All of them are requested. */
  readonly turns: readonly { readonly replies: readonly ModelReply[]; readonly heard: string }[]
  readonly chat?: object
}

const CASES: Readonly<Record<string, Counted>> = {
  'a prompt node without prompt edges, globals and variables asks once': {
    nodes: [talks('talk', 'Talk.', { edges: [when('x', '==', 1, 'talk')] })],
    turns: [
      { replies: [{ text: 'One.' }], heard: 'One.' },
      { replies: [{ text: 'Two.' }], heard: 'Two.' },
    ],
  },
  'a static text is said without a model at every visit, unless the node asks for other words': {
    nodes: [
      says('a', 'First.', { always_edge: to('b') }),
      says('b', 'Second.', { always_edge: to('a'), reword_on_revisit: true }),
    ],
    turns: [
      { replies: [], heard: 'Second.' },
      { replies: [], heard: 'First.' },
      { replies: [{ text: 'Second, once more.' }], heard: 'Second, once more.' },
    ],
  },
  'a chain of static texts, branches and code needs no model': {
    nodes: [
      says('a', 'Hello.', { always_edge: to('sum') }),
      {
        id: 'sum',
        type: 'code',
        code: 'return { total: 2 }',
        response_variables: { total: '$.total' },
        else_edge: to('fork'),
      },
      { id: 'fork', type: 'branch', edges: [when('total', '==', 2, 'b')], else_edge: to('a') },
      says('b', 'It is {{total}}.', { skip_response_edge: to('c') }),
      { id: 'c', type: 'end', instruction: { type: 'static_text', text: 'Bye.' } },
    ],
    turns: [{ replies: [], heard: 'Bye.' }],
  },
  'one decision over prompts, then a prompt node: two': {
    nodes: [
      says('a', 'Which one?', { edges: [edge('b', 'The first.'), edge('c', 'The second.')] }),
      talks('b', 'Talk of the first.'),
      talks('c', 'Talk of the second.'),
    ],
    turns: [
      { replies: [chooses('e2'), { text: 'The second it is.' }], heard: 'The second it is.' },
      { replies: [{ text: 'And on.' }], heard: 'And on.' },
    ],
  },
  'a decision that stays: two': {
    nodes: [says('a', 'Which one?', { edges: [edge('b', 'The first.')] }), talks('b', 'Talk.')],
    turns: [{ replies: [chooses('stay'), { text: 'Which one, please?' }], heard: 'Which one, please?' }],
  },
  'a decision into a static text: one': {
    nodes: [says('a', 'Which one?', { edges: [edge('b', 'The first.')] }), says('b', 'Good.')],
    turns: [{ replies: [chooses('e1')], heard: 'Good.' }],
  },
  'an equation that holds needs no router': {
    nodes: [
      says('a', 'Which one?', { edges: [edge('b', 'The first.'), when('vip', '==', true, 'c')] }),
      talks('b', 'Talk.'),
      talks('c', 'Serve.'),
    ],
    turns: [{ replies: [{ text: 'Welcome back.' }], heard: 'Welcome back.' }],
    chat: { dynamicVariables: { vip: true } },
  },
  'variables behind the edge are told with the decision': {
    nodes: [
      says('a', 'Where to?', { edges: [edge('find', 'The user names a city.')] }),
      extraction(),
      says('go', 'To {{city}}.'),
    ],
    turns: [{ replies: [chooses('e1', { city: 'Bern' })], heard: 'To Bern.' }],
  },
  'variables that the decision did not tell are asked for once': {
    nodes: [
      says('a', 'Where to?', { edges: [edge('find', 'The user names a city.')] }),
      extraction(),
      says('go', 'To {{city}}.'),
    ],
    turns: [
      {
        replies: [chooses('e1'), { toolCalls: [{ name: 'extract_dynamic_variables', arguments: '{"city":"Uri"}' }] }],
        heard: 'To Uri.',
      },
    ],
  },
  'the only way on is taken without a question': {
    nodes: [says('a', 'Go?', { always_edge: to('find') }), extraction(), says('go', 'To {{city}}.')],
    turns: [
      {
        replies: [{ toolCalls: [{ name: 'extract_dynamic_variables', arguments: '{"city":"Uri"}' }] }],
        heard: 'To Uri.',
      },
    ],
  },
  'a node with reachable globals asks a router': {
    nodes: [
      talks('a', 'Talk.'),
      says('help', 'Here is help.', { global_node_setting: { condition: 'The user wants help.' } }),
    ],
    turns: [
      { replies: [{ text: 'Hello.' }], heard: 'Hello.' },
      { replies: [chooses('stay'), { text: 'Go on.' }], heard: 'Go on.' },
      { replies: [chooses('g1')], heard: 'Here is help.' },
    ],
  },
}

describe('calls of the model', () => {
  test.for(Object.entries(CASES))('%s', async ([, { nodes, turns, chat = {} }], { server, stage }) => {
    const model = stage.model('openai')
    const { chatId } = await flowChat(server, model, { flow: { nodes }, chat })
    for (const [index, { replies, heard }] of turns.entries()) {
      const before = model.requests.length
      model.script(...replies)
      const turn = await runTurn(server, chatId, {
        mode: index % 2 === 0 ? 'plain' : 'streamed',
        content: `Turn ${index}`,
      })
      expect(turn.messages.at(-1)?.content).toBe(heard)
      expect(model.requests.length - before, `turn ${index}`).toBe(replies.length)
    }
  })

  test('a static opening text is part of the chat and costs nothing', async ({ server, stage }) => {
    const model = stage.model('openai')
    const nodes = [says('a', 'Hello {{name}}.', { always_edge: to('b') }), talks('b', 'Talk.')]
    const chat = { dynamicVariables: { name: 'Ada' } }
    const opened = await flowChat(server, model, { flow: { nodes, start_speaker: 'agent' }, chat })
    expect(opened.messages.map(({ content }) => content)).toEqual(['Hello Ada.'])
    model.script({ text: 'Sure.' })
    const turn = await runTurn(server, opened.chatId, { mode: 'plain' })
    expect(turn.messages.at(-1)?.content).toBe('Sure.')
    expect(model.requests).toHaveLength(1)
    const silent = await flowChat(server, model, { flow: { nodes, start_speaker: 'user' }, chat })
    expect(silent.messages).toEqual([])
  })

  test('are counted in the cost of the chat and reported with the decision', async ({ server, stage }) => {
    const model = stage.model('openai')
    const nodes = [says('a', 'Which?', { edges: [edge('b', 'The first.')] }), talks('b', 'Talk.')]
    const usage = { inputTokens: 100, outputTokens: 5 }
    model.script({ ...chooses('e1'), usage }, { text: 'Good.', usage })
    const { chatId } = await flowChat(server, model, { flow: { nodes } })
    await runTurn(server, chatId, { mode: 'plain' })
    const [turn] = await readTurns(server, chatId)
    expect(turn?.usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(200)
    const decision = turn?.decisions.find(({ type }) => type === 'flow-decision')
    expect(decision).toMatchObject({
      nodeId: 'a',
      tier: 'prompt',
      edgeId: 'to-b',
      destinationNodeId: 'b',
      inputTokens: 100,
      outputTokens: 5,
      rationale: 'Because of the test.',
    })
    const { chatCost } = await readChat(server, chatId)
    expect(chatCost.items).toMatchObject([{ inputTokens: 200, outputTokens: 10 }])
  })

  test('use the prompt of the current state or node', async ({ server, stage }) => {
    const model = stage.model('openai')
    const nodes = [
      says('a', 'Which?', { edges: [edge('b', 'The {{color}} one.')] }),
      { id: 'b', type: 'subagent', instruction: { type: 'prompt', text: 'Sell {{color}}.' }, tool_ids: ['t1'] },
    ]
    const tool = { type: 'end_call', name: 'finish', tool_id: 't1' }
    model.script(chooses('e1'), { text: 'Blue.' })
    const flow = { nodes, tools: [tool], default_dynamic_variables: { color: 'blue' } }
    const { chatId } = await flowChat(server, model, { flow })
    await runTurn(server, chatId, { mode: 'plain' })
    expect(JSON.stringify(model.requests[0]?.body)).toContain('e1: The blue one.')
    expect(toolsOf(model, 0)).toEqual(['choose_transition'])
    expect(systemPromptOf(model, 1)).toBe('Be brief.\n\nSell blue.')
    expect(toolsOf(model, 1)).toEqual(['finish'])
    expect(routingTiersOf((await readTurns(server, chatId))[0] ?? { decisions: [] })).toEqual(['prompt'])
  })
})
